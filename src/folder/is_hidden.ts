/**
 * Whether a file manager hides a name: one with a dot, or that of the file in which Word, Excel and PowerPoint keep who
 * has a document open (`~$report.docx`), which is there for as long as it is edited.
 */
export function isHidden(name: string): boolean {
  return name.startsWith(".") || name.startsWith("~$");
}
