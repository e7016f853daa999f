import type { ConnectionError, ProblemError, Question } from "./index.js";

/** The events that <bestpick-question> dispatches. */
export interface QuestionEvents {
  "bestpick-question": CustomEvent<{ question: Question }>;
  "bestpick-answer": CustomEvent<{ question: Question; picks: string[]; none?: true }>;
  "bestpick-skip": CustomEvent<{ question: Question }>;
  "bestpick-done": CustomEvent<{ error: ProblemError }>;
  "bestpick-problem": CustomEvent<{ error: ProblemError | ConnectionError }>;
}

/**
 * <bestpick-question>. Attributes: study, server (the page's own by default), respondent (as the server has named them), segment, member-key, no-skip
 * and unpicked ("skip" or "none").
 */
export class QuestionElement extends HTMLElement {
  /** The question that is shown; undefined if there is none. */
  readonly question?: Question;
  /** Reports that the respondent cannot decide, and shows the next question. */
  skip(): Promise<void>;
  /** Answers that none of the options is picked, if the question offers that, and shows the next question. */
  none(): Promise<void>;
}

declare global {
  interface HTMLElementTagNameMap {
    "bestpick-question": QuestionElement;
  }
}
