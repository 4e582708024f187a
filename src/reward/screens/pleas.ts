/**
 * Asking for the best mark in other languages: a verb that asks and a word for the best mark, near each other. Somebody who
 * got such a mark is told of without the verb.
 */

/** What asks, and what is asked for; either order, since languages differ. */
const LANGUAGES: readonly (readonly [string, string])[] = [
  // German
  [
    "(?:bitte|vergib|vergeben sie|gib|geben sie|bewerte|bewerten sie)",
    "(?:volle punktzahl|volle punkte|bestnote|höchste note|höchstnote|maximale punktzahl|10 von 10)",
  ],
  // Spanish, Portuguese
  [
    "(?:por favor|califica|califique|otorga|otorgue|asigna|asigne|pon(?:ga)?|dame|avalie|atribua|dê)",
    "(?:nota máxima|máxima nota|puntuación máxima|máxima puntuación|calificación máxima|pontuação máxima|10 (?:sobre|de) 10)",
  ],
  // French
  [
    "(?:merci d|veuillez|attribue[rz]?|donne[rz]|accorde[rz]?|notez|s'il (?:vous|te) pla[iî]t)",
    "(?:note maximale|meilleure note|note parfaite|10 sur 10|20 sur 20)",
  ],
  // Italian
  ["(?:per favore|assegna|dai|valuta|si prega)", "(?:voto massimo|massimo dei voti|punteggio massimo|10 su 10)"],
  // Dutch
  [
    "(?:geef|graag|alsjeblieft|alstublieft|beoordeel)",
    "(?:hoogste (?:cijfer|score|punt)|maximale score|een tien|10 van (?:de )?10)",
  ],
  // Polish
  [
    "(?:proszę|przyznaj|daj|oceń)",
    "(?:maksymaln\\p{L}{1,3} (?:liczb\\p{L}{1,2} punktów|ocen\\p{L}{1,2})|najwyższ\\p{L}{1,2} ocen\\p{L}{1,2}|10 na 10)",
  ],
  // Russian, Ukrainian
  [
    "(?:пожалуйста|поставь(?:те)?|оцени(?:те)?|дай(?:те)?|будь ласка|постав(?:те)?)",
    "(?:высш\\p{L}{1,3} балл|максимальн\\p{L}{1,3} (?:балл|оценк|бал)|наивысш\\p{L}{1,3} оценк|10 из 10|найвищ\\p{L}{1,3} бал)",
  ],
  // Swedish, Danish, Norwegian
  [
    "(?:vänligen|snälla|ge|giv|gi|venligst|vennligst)",
    "(?:högsta betyg|full poäng|topkarakter|højeste karakter|toppkarakter|høyeste karakter)",
  ],
  // Czech, Slovak
  ["(?:prosím|dejte|dej|udělte|dajte)", "(?:plný počet bod\\p{L}{1,2}|nejvyšší známk\\p{L}|najvyššiu známku)"],
  // Vietnamese
  ["(?:xin|hãy|vui lòng)", "(?:điểm tối đa|điểm cao nhất)"],
  // Turkish
  ["(?:lütfen|ver(?:in|iniz)?)", "(?:tam puan|en yüksek (?:puan|not))"],
  // Chinese
  ["(?:请|請|给我|給我|务必|打)", "(?:满分|滿分|最高分|10分)"],
  // Japanese
  ["(?:ください|下さい|付けて|つけて|お願い)", "(?:満点|最高点|最高評価)"],
  // Korean
  ["(?:주세요|부탁|주십시오|줘)", "(?:만점|최고점|최고 점수)"],
  // Arabic
  ["(?:من فضلك|أعط|امنح|يرجى)", "(?:الدرجة الكاملة|العلامة الكاملة|أعلى درجة)"],
  // Hindi
  ["(?:कृपया|दें|दीजिए)", "(?:पूरे अंक|पूर्ण अंक|सर्वोच्च अंक)"],
];

/** A plea is short. */
const BETWEEN = "[^.!?。！？\\n]{0,80}?";

export const pleas: readonly RegExp[] = LANGUAGES.flatMap(([ask, mark]) => [
  new RegExp(`(?<![\\p{L}])${ask}${BETWEEN}${mark}`, "u"),
  new RegExp(`${mark}${BETWEEN}${ask}`, "u"),
]);
