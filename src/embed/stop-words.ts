/** English words that say how a sentence is built, not what it is about; with the halves of their contractions. */
export const stopWords: ReadonlySet<string> = new Set(
  `a an the this that these those here there
   i me my mine you your yours he him his she her hers it its we us our ours they them their theirs
   one ones who whom whose which what when where why how
   am is are was were be been being do does did done doing have has had having
   can could may might must shall should will would cannot
   and or but nor if else then than so as because while although though unless until since whether
   of in on at by for from to into onto with without within about above below over under between
   among through during before after against across along around behind beside near off out up down upon via per
   not no yes only just also too very more most less least much many few some any all both each every either
   neither other another such same own again once ever never always often still yet already
   etc eg ie vs re ve ll don doesn didn isn aren wasn weren won wouldn shouldn couldn hasn haven hadn
   dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt cant hasnt havent hadnt
   thats youre youll youve theyre weve were im ive lets let like instead rather however therefore`
    .split(/\s+/)
    .filter((word) => word !== ""),
);
