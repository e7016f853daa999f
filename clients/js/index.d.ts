import type { Ask, Problem, Question, Verdict, Welcome } from "./api.js";

export * from "./api.js";

export interface ClientOptions {
  /** The token of an owner or a viewer. Respondents need none. */
  token?: string;
  /** Milliseconds for a request, and for all attempts while the server limits the rate. Defaults to 60,000. */
  timeout?: number;
  /** Milliseconds before a request is sent again, after the first failure, the second and so on. */
  waits?: number[];
}

export interface CallOptions {
  /** Ends the request. */
  signal?: AbortSignal;
  /** Lets the request continue when the page is closed. */
  keepalive?: boolean;
}

/** The types of problems that clients handle differently. */
export const problems: {
  readonly badToken: string;
  readonly conflict: string;
  readonly done: string;
  readonly draft: string;
  readonly enough: string;
  readonly forbidden: string;
  readonly full: string;
  readonly invalid: string;
  readonly lapsed: string;
  readonly noConsent: string;
  readonly noProfile: string;
  readonly noQuestion: string;
  readonly notFound: string;
  readonly notMember: string;
  readonly paused: string;
  readonly quotaFull: string;
  readonly notEligible: string;
  readonly replaced: string;
  readonly tooLate: string;
  readonly tooMany: string;
  readonly unauthorized: string;
};

/** An error that the server has described. Tell problems apart by type. */
export class ProblemError extends Error {
  constructor(problem: Problem, retryAfter?: number);
  readonly problem: Problem;
  readonly type: string;
  readonly status: number;
  /** Milliseconds after which the request may be sent again. */
  readonly retryAfter?: number;
}

/** The server cannot be reached, or its reply ends too early. */
export class ConnectionError extends Error {
  constructor(cause: unknown);
}

/** The ids of the arms picked, best first; or another answer, where the question offers it. */
export type Picks = string | string[] | (({ none: true } | { tie: true } | { picks: string[]; worst?: string }) & Note);

/** What is stored with an answer besides the picks. The judge is a person by default. */
export interface Note {
  rationale?: string;
  metadata?: Record<string, string>;
  judge?: "person" | "model";
}

export class Client {
  constructor(url: string | URL, options?: ClientOptions);
  url: string;
  timeout: number;
  waits: number[];
  ask(study: string, ask?: Ask, options?: CallOptions): Promise<Question>;
  welcome(study: string, options?: CallOptions): Promise<Welcome>;
  answer(study: string, token: string, picks: Picks, options?: CallOptions): Promise<void>;
  answerAndAsk(study: string, token: string, picks: Picks, options?: CallOptions): Promise<Question | undefined>;
  skip(study: string, token: string, options?: CallOptions): Promise<void>;
  undo(study: string, token: string, options?: CallOptions): Promise<void>;
  verdict(study: string, options?: CallOptions): Promise<Verdict>;
  events(study: string, options?: { signal?: AbortSignal }): AsyncGenerator<Verdict, void, void>;
}
