/**
 * Text of a file in pieces, made when it is asked for and the same each time: a file of megabytes is written, or held
 * against one that is there, without ever being whole in memory.
 */
export type FileText = () => Iterable<string>;

/** One that is made whole. */
export function wholeText(make: () => string): FileText {
  return () => [make()];
}
