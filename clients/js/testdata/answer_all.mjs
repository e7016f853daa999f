// Answers questions of a study with several respondents at once, and prints what the server has acknowledged:
//
//     node answer_all.mjs URL STUDY RESPONDENTS ANSWERS
//
// Each line has the respondent, the arms shown and the arm picked, as JSON.

import { Client } from "../index.js";

const [url, study, respondents, answers] = process.argv.slice(2);
const client = new Client(url, { timeout: 20_000, waits: Array(80).fill(250) }); // a busy machine starts a server slowly

async function answer() {
  const { respondent } = await client.welcome(study);
  let question = await client.ask(study, { respondent });
  for (let number = 0; number < Number(answers); number++) {
    const shown = question.arms.map((arm) => arm.id);
    const pick = shown[number % shown.length];
    const following = await client.answerAndAsk(study, question.token, pick);
    console.log(JSON.stringify([respondent.split(".")[0], shown, pick]));
    question = following ?? (await client.ask(study, { respondent }));
  }
}

await Promise.all(Array.from({ length: Number(respondents) }, () => answer()));
