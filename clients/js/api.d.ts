// Generated from the OpenAPI document of bestpick by generate.mjs. Do not edit.

export interface Answer {
  /** The kind of respondent. Defaults to person. */
  judge?: "person" | "model";
  /** Texts about the answer, such as the version of a model. At most 4,000 bytes in all. */
  metadata?: Record<string, string>;
  /** Also ask for the next question. */
  next?: boolean;
  /** None of the arms. */
  none?: boolean;
  /** Ids of the arms picked, best first. Required unless the answer is none or tie. */
  picks?: string[];
  /** Why the respondent answered so. */
  rationale?: string;
  /** All arms are equally good. */
  tie?: boolean;
  token: string;
  /** The id of the worst arm, if the question asks for it. */
  worst?: string;
}

export interface Arm {
  attributes?: Attribute[];
  description?: string;
  id: string;
  image?: string;
  label?: string;
  /** The arm's text in the context of the question. */
  text?: string;
  withdrawn?: boolean;
}

export interface Ask {
  /** The consent_id of the text that the respondent agrees to: see welcome. Needed once, if the study asks for consent. */
  consent?: string;
  /** The key of a member of the panel. The member's name, and segment if there is one, override the other fields. */
  key?: string;
  /** The id in the respondent's link, if the audience is ids or signed. It is the respondent's name. */
  pid?: string;
  /** The respondent in the reply to welcome or to an earlier request, which has a signature. Any name, if the request has an owner's token. Defaults to a new name, which is in the reply, for a respondent who is asked one question. */
  respondent?: string;
  /** The respondent's part of the population, if the study has segments. */
  segment?: string;
  /** The HMAC-SHA-256 of the id under the study's key, in hexadecimal digits, if the audience is signed. */
  signature?: string;
}

export interface Attribute {
  name: string;
  value: string;
}

export interface Contender {
  arm: Arm;
  /** The estimated share of people who choose this arm over the leader. Only under majority. */
  chosen?: number;
  /** The number of people who compared this arm with the leader. Only under majority. */
  compared?: number;
  /** The log of the evidence against this arm being better than the leader by more than epsilon. At the threshold the arm is eliminated. */
  evidence: number;
  high: number;
  /** The leader's estimated lead in utility. */
  lead: number;
  /** With probability 1 − delta, the true leads of all arms lie between low and high at all times. */
  low: number;
}

export interface Counting {
  /** The number of outcomes counted. */
  counted: number;
  /** The number of outcomes in the log. */
  total: number;
}

export interface Detail {
  /** The place in the request, such as body.settings.k, query.limit or header.If-Match. */
  location?: string;
  message?: string;
}

export interface Doubt {
  arm?: Arm;
  /** The share of the former who chose the rival over the arm. */
  chosen?: number;
  /** drift: later people compared with earlier ones. leavers: people who left early, with others. skips: people who skipped questions, with others. slates: questions of two arms, with larger ones. people: too few people to tell, without arms and shares. */
  kind: "people" | "drift" | "leavers" | "skips" | "slates";
  /** The share of the latter who did. */
  otherwise?: number;
  /** The number of the former, or of all people. */
  people: number;
  rival?: Arm;
  /** The doubt in English. */
  text: string;
}

export interface Fit {
  /** The check with the most evidence against the model. */
  check?: string;
  /** The log of the combined evidence against the model. */
  evidence: number;
  remedy?: string;
  sentence?: string;
  /** fits, doubtful or refuted */
  status: string;
}

export interface Forecast {
  /** The epsilon that twice the current number of answers would certify. */
  epsilon?: number;
  /** Absent if it is more than 10 million. */
  high?: number;
  /** The study is likely to need more than any reasonable budget. May be present while the numbers are not known. */
  hopeless?: boolean;
  /** False, without numbers, while there is no forecast, or more answers are expected than there are. The total number of answers, those so far plus low to high, spans at most a factor of three. */
  known: boolean;
  /** Four in five studies need between low and high. Absent if it is more than 10 million. */
  low?: number;
  /** Absent if it is more than 10 million. */
  median?: number;
}

export interface Group {
  answer: string;
  /** The number of respondents who have answered a question of the study, and keep their place. */
  answered: number;
  /** The name of the profile question. */
  question: string;
  /** The number of places; absent without a limit. */
  quota?: number;
  /** The number of respondents with open questions and no answer yet. A reservation ends 5 minutes after the last question. */
  reserved: number;
}

export interface Leaderboard {
  /** The number of answers that it counts. */
  answers: number;
  /** The leader first, then by utility. With probability 1 − delta all intervals and ranges of ranks hold, at all times at once: under linear together with the certificate, under majority besides it. */
  ranks: Rank[];
}

export interface Misfit {
  arm: Arm;
  /** How often the model predicts it. */
  expected: number;
  /** How often the arm was picked. */
  picked: number;
}

export interface Outcome {
  kind: "answered" | "skipped" | "undone";
  /** The next question, if the request asked for it and one is available. */
  next?: Question;
}

export interface Outside {
  /** With probability 1 − delta, together with all other statements of the verdict, these arms are better than none. */
  better: Arm[];
  /** Likewise, none is better than these arms. Other arms are undecided. */
  worse: Arm[];
}

export interface Problem {
  /** The error in one sentence. */
  detail?: string;
  /** The invalid parts of the request, one by one. */
  errors?: Detail[];
  /** The status of the reply. */
  status?: number;
  /** The meaning of the status. */
  title?: string;
  /** The type of problem, for programs. Absent if the status says enough. not-found: the study or other resource does not exist. draft: the study has not been opened yet. paused: the study is paused and may continue later. done: the study is done. lapsed: the study ended for a reason that no longer holds; its owner may open it again. not-member: the respondent is not in the audience of the study; the detail says what is missing. no-question: no question is available at the moment. enough: the respondent has answered as many questions as the study allows. no-consent: the respondent must agree to the text of consent first. full: the study has no place for another answer at the moment; one may become free. no-profile: the respondent must answer the profile questions first. quota-full: the study has enough respondents of this group now. not-eligible: the study is for other respondents. conflict: the question already has a different answer. replaced: the question was given to another respondent. too-late: the answer is already counted. not-answered: there is no answer to take back. bad-token: the token is not of a question of this study. changed: the study was changed since the version in If-Match. no-version: the request needs an If-Match header. started: only a draft allows this change. wrong-state: the study cannot change to this state. known: the batch was imported before. invalid: the request is invalid; errors lists where. too-large: the request body exceeds the size limit. too-many: rate limit exceeded; Retry-After has the time to wait. taken: the name is already in use. last-owner: the last owner token cannot be revoked. unavailable: the database is unavailable; retry later. timeout: the request took too long; retry later. busy: the study is locked or changes too often at the moment; retry later. unauthorized: the request needs a valid token. forbidden: the token does not allow this, or one is needed to name respondents. cross-origin: a page of another site may not change anything. wrong-method: the path has other methods; Allow lists them. */
  type?: "urn:bestpick:not-found" | "urn:bestpick:draft" | "urn:bestpick:paused" | "urn:bestpick:done" | "urn:bestpick:lapsed" | "urn:bestpick:not-member" | "urn:bestpick:no-question" | "urn:bestpick:enough" | "urn:bestpick:no-consent" | "urn:bestpick:full" | "urn:bestpick:no-profile" | "urn:bestpick:quota-full" | "urn:bestpick:not-eligible" | "urn:bestpick:conflict" | "urn:bestpick:replaced" | "urn:bestpick:too-late" | "urn:bestpick:not-answered" | "urn:bestpick:bad-token" | "urn:bestpick:changed" | "urn:bestpick:no-version" | "urn:bestpick:started" | "urn:bestpick:wrong-state" | "urn:bestpick:known" | "urn:bestpick:invalid" | "urn:bestpick:too-large" | "urn:bestpick:too-many" | "urn:bestpick:taken" | "urn:bestpick:last-owner" | "urn:bestpick:unavailable" | "urn:bestpick:timeout" | "urn:bestpick:busy" | "urn:bestpick:unauthorized" | "urn:bestpick:forbidden" | "urn:bestpick:cross-origin" | "urn:bestpick:wrong-method";
}

export interface Proven {
  arm: Arm;
  /** With probability 1 − delta, at all times at once, no single other arm is chosen over this one by a larger share of people. */
  share: number;
}

export interface Question {
  /** In the order in which to show them. */
  arms: Arm[];
  /** The context in which to compare the arms, if the study has contexts. Each arm then has its text in this context, and nothing else. */
  context?: string;
  /** The number of questions that this respondent has answered or skipped, if there is a limit. Not in the reply to a request with an id that is not checked, since it proves nothing. */
  done?: number;
  /** The largest number of questions per respondent. */
  each?: number;
  /** The end of the lease. Later answers count unless the question was given to another respondent. */
  expires: string;
  /** The format of the context and the texts. Never render HTML in them. */
  format?: "plain" | "markdown";
  /** Whether none of the arms is an answer, too. */
  none?: boolean;
  /** The number of arms to pick, best first. */
  picks: number;
  prompt: string;
  /** The name to send with later requests of this respondent. It has a signature if the server has chosen it. */
  respondent: string;
  /** Whether it is an answer, too, that all arms are equally good. */
  tie?: boolean;
  /** Identifies the question in the answer. */
  token: string;
  /** Whether to name the worst arm, too. */
  worst?: boolean;
}

export interface Rank {
  arm: Arm;
  /** The true rank lies between first and last. The leader ranks before arms of the same utility. */
  first: number;
  high: number;
  last: number;
  /** The true difference lies between low and high. */
  low: number;
  /** The arm is ruled out for good: another one is better by more than epsilon. */
  out?: boolean;
  /** The estimated share of choices between this arm and the leader in which this arm is picked, under majority of people who choose it. */
  share: number;
  share_high: number;
  /** The true share lies between share_low and share_high. */
  share_low: number;
  /** The estimated utility minus that of the leader. Under majority the log odds of the share. */
  utility: number;
}

export interface SegmentVerdict {
  /** The number of their answers. */
  answers: number;
  /** Other arms that may still be the favourite of the segment, at most 10. */
  contenders: Arm[];
  /** How many more answers of this segment it takes, if they compare its leader with its contenders. */
  forecast: Forecast;
  /** The best arm so far; absent before a respondent of the segment is complete. */
  leader?: Arm;
  /** The number of further contenders that are not listed. */
  others: number;
  /** The number of people of the segment whose answers count. */
  respondents: number;
  segment: string;
  /** As the status of the verdict, about the people of this segment. */
  status: "asking" | "certified" | "cyclic";
}

export interface Sign {
  all: number;
  /** They are evidence: the rule is off, or there is none. */
  counted: boolean;
  kind: "fast" | "network" | "straight" | "burst";
  /** The number of people, or of answers if they are fast. */
  some: number;
  /** The sign in English. */
  text: string;
}

export interface Signs {
  /** Most people who arrived in one minute. */
  burst?: number;
  /** Of these, beyond per_network. They are no evidence if the rule is on. */
  crowded?: number;
  /** Of these, faster than reading_seconds. They are no evidence if the rule is on. */
  fast?: number;
  /** Most people who arrived from one network in an hour. */
  largest?: number;
  /** The number of people who arrived. */
  people?: number;
  /** People who keep picking the same place on the screen. With straight_lining they only count against the leader. */
  straight?: number;
  /** The number of answers whose time is known. */
  timed?: number;
  /** What the owner should know of. */
  warnings?: Sign[];
}

export interface Skip {
  /** Also ask for the next question. */
  next?: boolean;
  token: string;
}

export interface Undo {
  token: string;
}

export interface Verdict {
  /** The number of people who have answered and whose hand has not ended. */
  answering?: number;
  /** The number of answers counted. */
  answers: number;
  /** The number of people who were dealt a hand, with an answer or without. */
  arrived?: number;
  /** What the certificate rests on, or will rest on. A linear study with a fallback continues under majority when the answers refute the model. */
  assumption: "majority" | "linear";
  at?: string;
  /** Arms that may still be better, the most doubtful first. */
  contenders: Contender[];
  /** Present while a backlog is being counted, as after an import or an erasure: the verdict is provisional until then. */
  counting?: Counting;
  /** Arms each of which people seem to choose over the one before, and the first over the last: then no arm is a clear favourite. Only under majority. */
  cycle: Arm[];
  delta: number;
  /** A hash of everything that led to the verdict: settings, arms, outcomes and plans. */
  digest?: string;
  /** Evidence against the assumptions of majority. What is certified or proven holds only if the assumptions do. */
  doubts?: Doubt[];
  /** The number of arms that are ruled out for good: another is better by more than epsilon, whatever leads. It never falls while the arms stay the same. */
  eliminated: number;
  epsilon: number;
  /** The smallest epsilon that the answers certify: with probability 1 − delta, no arm is better than the leader by more than that. Present under linear once the study is over, as when its budget is spent. statement says what it means. */
  epsilon_certified?: number;
  /** The number of people whose data was deleted. The verdict leaves their answers out. */
  erased?: number;
  /** The least evidence against a contender. At the threshold all are eliminated. */
  evidence: number;
  /** The number of people whom the owner excluded. A certificate holds with and without them. */
  excluded_by_hand?: number;
  /** The number of people who answered all questions of their hand. */
  finished?: number;
  /** The estimated share of people who would choose the leader among all arms. An estimate by a model, without a guarantee. */
  first_choice?: number;
  forecast: Forecast;
  /** The time of the first answer. */
  from?: string;
  /** The groups of the profile questions with choices, and how many of their places are taken. */
  groups?: Group[];
  /** The number of answers that only guide the choice of questions: imported ones, and those after the end of a hand. */
  guiding?: number;
  /** The best arm so far; absent before an arm is nominated. */
  leader?: Arm;
  /** The ranks of all arms: under linear of at most 100 arms that are not profiles of a product, under majority once the leader is nominated. Renewed when the number of answers has grown by a tenth, under linear when it has doubled, up to 100,000 answers times arms, and when the study is over. */
  leaderboard?: Leaderboard;
  /** Arms that were picked significantly more or less often than the linear model predicts. A certificate under linear may be wrong about them. */
  misfits: Misfit[];
  /** At a certificate by majority, the largest share of missing answers, of people who gave some that count, that may be missing because they would have gone against the leader. */
  missing?: number;
  /** Whether the answers fit the model. */
  model: Fit;
  /** The number of further contenders that are not listed. */
  others: number;
  /** The arms compared with none of them, where the study offers that, under linear. */
  outside?: Outside;
  /** The evidence rests on answers that do not order all arms they show, as one pick of three. Then the verdict, what is proven and the leaderboard are about people who pick one of two arms in the questions as they were asked, and not about two arms alone. */
  partial?: boolean;
  /** The number of the plan with this verdict. */
  plan: number;
  /** How far the study has come: the share of the needed evidence, half of it on average over all rivals and half against the most doubtful one, and a tenth for the first answers. It never falls while the arms stay the same and no person is excluded, and is 1 when the study is decided. */
  progress: number;
  /** What majority evidence shows at any time, decided or not. */
  proven?: Proven;
  reason?: "certified" | "refuted" | "cyclic" | "stopped" | "spent" | "expired" | "lapsed";
  /** The number of people who answered and whose hand has ended, by answering all of it or five minutes after their last answer. 0 where people are not counted. */
  respondents: number;
  /** The number of arms that may still be better than the leader, listed or not. */
  rivals: number;
  /** A verdict about each segment of a study under majority. They share one delta: the probability that any of them is wrong is at most delta. */
  segments?: SegmentVerdict[];
  /** With probability 1 − delta, no arm is a favourite within epsilon of all segments. */
  segments_differ?: boolean;
  /** The verdict in plain English, as on the page of the study: what is decided or proven, its basis, and what it assumes. */
  sentence: string;
  /** Signs of fraud among the counted answers. They exclude nothing; settings do. */
  signs?: Signs;
  state: "draft" | "open" | "paused" | "done";
  /** What is certified or proven, in English, with what it assumes; a part of sentence. Absent if there is nothing. */
  statement?: string;
  /** certified: with probability 1 − delta, no arm is better than the leader by more than epsilon, as assumption says. decided: the answers do not fit the model, so nothing can be certified. cyclic: with probability 1 − delta, for each arm there is another one that more people choose over it, by more than epsilon, so there is no favourite. */
  status: "asking" | "decided" | "certified" | "cyclic";
  /** log(1/delta) */
  threshold: number;
  /** In studies with settings.top, the arms that look best: by their estimated utilities. Under majority the arms that are certified already come first. Once certified, no other arm is better than any of them by more than epsilon; in a ranking of all arms, than any before it. contenders then has the arms that may still belong above one ranked above them. */
  top?: Arm[];
  /** The time of the last answer that is counted. */
  until?: string;
  /** At a certificate by majority, how many of the people may have been fake, whatever they answered, without making it wrong: at least settings.fakes. */
  withstands?: number;
}
