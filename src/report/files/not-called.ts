/** Said of a planned trial that a report does not count, because no look of the plan has asked for it. */
export const notCalled = "the plan's looks have not called for it";
