import { type PlannedTrial, trialName } from "../../artefacts/trial.ts";

/** File of a trial's page below report/; model ids are percent-encoded as they are on disk. */
export function trialPageFile(planned: PlannedTrial): string {
  return `trials/${trialName(planned)}.html`;
}

/** Address of the same from the page at report/: a percent sign of the file's name is escaped once more. */
export function trialHref(planned: PlannedTrial): string {
  return trialPageFile(planned).split("/").map(encodeURIComponent).join("/");
}
