export const shortNames: { readonly mangleProps: RegExp }
