/** The name of project files, apart from their options: commands without a project file load no more of it. */
export const projectFileName = 'cotangent.json'
