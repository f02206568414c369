/** Files that operating systems add to archives and folders by themselves. */
const SYSTEM_FILES = new Set([".ds_store", "thumbs.db", "desktop.ini", "ehthumbs.db", ".localized"]);
/** Folders of such files. */
const SYSTEM_FOLDERS = new Set([
  "__macosx",
  ".git",
  ".svn",
  ".hg",
  "$recycle.bin",
  ".spotlight-v100",
  ".trashes",
]);

/** Whether a file of an archive is not a document of its sender: metadata of an operating system or of Git. */
export function isSkipped(path: string): boolean {
  const segments = path.toLowerCase().split(/[/\\]/);
  const filename = segments.pop() ?? "";
  // AppleDouble: the resource fork of a file, in a TAR made on macOS.
  if (filename.startsWith("._") || SYSTEM_FILES.has(filename)) return true;
  return segments.some((segment) => SYSTEM_FOLDERS.has(segment));
}
