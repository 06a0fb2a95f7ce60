/** Functions of WGSL that the threads of a subgroup call together; they stand where they are called. */
export const together: RegExp = /^(subgroup|quad)[A-Z]/
