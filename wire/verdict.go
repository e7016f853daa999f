package wire

import "time"

// A Verdict is the current result of a study.
type Verdict struct {
	State       string      `json:"state" enum:"draft,open,paused,done"`
	Reason      string      `json:"reason,omitempty" enum:"certified,refuted,cyclic,stopped,spent,expired,lapsed"`
	Status      string      `json:"status" enum:"asking,decided,certified,cyclic" doc:"certified: with probability 1 − delta, no arm is better than the leader by more than epsilon, as assumption says. decided: the answers do not fit the model, so nothing can be certified. cyclic: with probability 1 − delta, for each arm there is another one that more people choose over it, by more than epsilon, so there is no favourite."`
	Assumption  string      `json:"assumption" enum:"majority,linear" doc:"What the certificate rests on, or will rest on. A linear study with a fallback continues under majority when the answers refute the model."`
	Statement   string      `json:"statement,omitempty" doc:"What is certified or proven, in English, with what it assumes; a part of sentence. Absent if there is nothing."`
	Sentence    string      `json:"sentence" doc:"The verdict in plain English, as on the page of the study: what is decided or proven, its basis, and what it assumes."`
	Leader      *Arm        `json:"leader,omitempty" doc:"The best arm so far; absent before an arm is nominated."`
	Contenders  []Contender `json:"contenders" nullable:"false" doc:"Arms that may still be better, the most doubtful first."`
	Others      int         `json:"others" doc:"The number of further contenders that are not listed."`
	Rivals      int         `json:"rivals" doc:"The number of arms that may still be better than the leader, listed or not."`
	Eliminated  int         `json:"eliminated" doc:"The number of arms that are ruled out for good: another is better by more than epsilon, whatever leads. It never falls while the arms stay the same."`
	Progress    float64     `json:"progress" minimum:"0" maximum:"1" doc:"How far the study has come: the share of the needed evidence, half of it on average over all rivals and half against the most doubtful one, and a tenth for the first answers. It never falls while the arms stay the same and no person is excluded, and is 1 when the study is decided."`
	Answers     int         `json:"answers" doc:"The number of answers counted."`
	Respondents int         `json:"respondents" doc:"The number of people who answered and whose hand has ended, by answering all of it or five minutes after their last answer. 0 where people are not counted."`
	Answering   int         `json:"answering,omitempty" doc:"The number of people who have answered and whose hand has not ended."`
	Groups      []Group     `json:"groups,omitempty" nullable:"false" doc:"The groups of the profile questions with choices, and how many of their places are taken."`
	Arrived     int         `json:"arrived,omitempty" doc:"The number of people who were dealt a hand, with an answer or without."`
	Finished    int         `json:"finished,omitempty" doc:"The number of people who answered all questions of their hand."`
	Guiding     int         `json:"guiding,omitempty" doc:"The number of answers that only guide the choice of questions: imported ones, and those after the end of a hand."`
	Erased      int         `json:"erased,omitempty" doc:"The number of people whose data was deleted. The verdict leaves their answers out."`
	ByHand      int         `json:"excluded_by_hand,omitempty" doc:"The number of people whom the owner excluded. A certificate holds with and without them."`
	From        time.Time   `json:"from,omitzero" doc:"The time of the first answer."`
	Until       time.Time   `json:"until,omitzero" doc:"The time of the last answer that is counted."`
	Proven      *Proven     `json:"proven,omitempty" doc:"What majority evidence shows at any time, decided or not."`
	Partial     bool        `json:"partial,omitempty" doc:"The evidence rests on answers that do not order all arms they show, as one pick of three. Then the verdict, what is proven and the leaderboard are about people who pick one of two arms in the questions as they were asked, and not about two arms alone."`
	Missing     float64     `json:"missing,omitempty" minimum:"0" maximum:"1" doc:"At a certificate by majority, the largest share of missing answers, of people who gave some that count, that may be missing because they would have gone against the leader."`
	Withstands  int         `json:"withstands,omitempty" doc:"At a certificate by majority, how many of the people may have been fake, whatever they answered, without making it wrong: at least settings.fakes."`
	FirstChoice float64     `json:"first_choice,omitempty" minimum:"0" maximum:"1" doc:"The estimated share of people who would choose the leader among all arms. An estimate by a model, without a guarantee."`
	Doubts      []Doubt     `json:"doubts,omitempty" nullable:"false" doc:"Evidence against the assumptions of majority. What is certified or proven holds only if the assumptions do."`
	Signs       Signs       `json:"signs,omitzero" doc:"Signs of fraud among the counted answers. They exclude nothing; settings do."`
	Misfits     []Misfit    `json:"misfits" nullable:"false" doc:"Arms that were picked significantly more or less often than the linear model predicts. A certificate under linear may be wrong about them."`
	Cycle       []Arm       `json:"cycle" nullable:"false" doc:"Arms each of which people seem to choose over the one before, and the first over the last: then no arm is a clear favourite. Only under majority."`
	Counting    *Counting   `json:"counting,omitempty" doc:"Present while a backlog is being counted, as after an import or an erasure: the verdict is provisional until then."`
	Evidence    float64     `json:"evidence" doc:"The least evidence against a contender. At the threshold all are eliminated."`
	Threshold   float64     `json:"threshold" doc:"log(1/delta)"`
	Delta       float64     `json:"delta"`
	Epsilon     float64     `json:"epsilon"`
	Forecast    Forecast    `json:"forecast"`
	Model       Fit         `json:"model" doc:"Whether the answers fit the model."`
	Plan        int         `json:"plan" doc:"The number of the plan with this verdict."`
	At          time.Time   `json:"at,omitzero"`
	Digest      string      `json:"digest,omitempty" doc:"A hash of everything that led to the verdict: settings, arms, outcomes and plans."`

	Top []Arm `json:"top,omitempty" nullable:"false" doc:"In studies with settings.top, the arms that look best: by their estimated utilities. Under majority the arms that are certified already come first. Once certified, no other arm is better than any of them by more than epsilon; in a ranking of all arms, than any before it. contenders then has the arms that may still belong above one ranked above them."`

	EpsilonCertified *float64     `json:"epsilon_certified,omitempty" doc:"The smallest epsilon that the answers certify: with probability 1 − delta, no arm is better than the leader by more than that. Present under linear once the study is over, as when its budget is spent. statement says what it means."`
	Leaderboard      *Leaderboard `json:"leaderboard,omitempty" doc:"The ranks of all arms: under linear of at most 100 arms that are not profiles of a product, under majority once the leader is nominated. Renewed when the number of answers has grown by a tenth, under linear when it has doubled, up to 100,000 answers times arms, and when the study is over."`

	Outside *Outside `json:"outside,omitempty" doc:"The arms compared with none of them, where the study offers that, under linear."`

	Segments       []SegmentVerdict `json:"segments,omitempty" nullable:"false" doc:"A verdict about each segment of a study under majority. They share one delta: the probability that any of them is wrong is at most delta."`
	SegmentsDiffer bool             `json:"segments_differ,omitempty" doc:"With probability 1 − delta, no arm is a favourite within epsilon of all segments."`
}

// Proven says that with probability 1 − δ no other arm is chosen over an arm by more than a share of the people.
type Proven struct {
	Arm   Arm     `json:"arm"`
	Share float64 `json:"share" doc:"With probability 1 − delta, at all times at once, no single other arm is chosen over this one by a larger share of people."`
}

// A Doubt says that some people, or answers, choose a rival over an arm otherwise than others.
type Doubt struct {
	Kind      string  `json:"kind" enum:"people,drift,leavers,skips,slates" doc:"drift: later people compared with earlier ones. leavers: people who left early, with others. skips: people who skipped questions, with others. slates: questions of two arms, with larger ones. people: too few people to tell, without arms and shares."`
	Arm       *Arm    `json:"arm,omitempty"`
	Rival     *Arm    `json:"rival,omitempty"`
	Chosen    float64 `json:"chosen,omitempty" doc:"The share of the former who chose the rival over the arm."`
	Otherwise float64 `json:"otherwise,omitempty" doc:"The share of the latter who did."`
	People    int     `json:"people" doc:"The number of the former, or of all people."`
	Text      string  `json:"text" doc:"The doubt in English."`
}

// Signs count what may be a sign of fraud. Where a rule is off, the limits are those of new studies.
type Signs struct {
	Timed    int    `json:"timed,omitempty" doc:"The number of answers whose time is known."`
	Fast     int    `json:"fast,omitempty" doc:"Of these, faster than reading_seconds. They are no evidence if the rule is on."`
	People   int    `json:"people,omitempty" doc:"The number of people who arrived."`
	Crowded  int    `json:"crowded,omitempty" doc:"Of these, beyond per_network. They are no evidence if the rule is on."`
	Largest  int    `json:"largest,omitempty" doc:"Most people who arrived from one network in an hour."`
	Straight int    `json:"straight,omitempty" doc:"People who keep picking the same place on the screen. With straight_lining they only count against the leader."`
	Burst    int    `json:"burst,omitempty" doc:"Most people who arrived in one minute."`
	Warnings []Sign `json:"warnings,omitempty" nullable:"false" doc:"What the owner should know of."`
}

// A Sign is a warning.
type Sign struct {
	Kind    string `json:"kind" enum:"fast,network,straight,burst"`
	Some    int    `json:"some" doc:"The number of people, or of answers if they are fast."`
	All     int    `json:"all"`
	Counted bool   `json:"counted" doc:"They are evidence: the rule is off, or there is none."`
	Text    string `json:"text" doc:"The sign in English."`
}

// A Leaderboard ranks the arms that are not withdrawn.
type Leaderboard struct {
	Answers int    `json:"answers" doc:"The number of answers that it counts."`
	Ranks   []Rank `json:"ranks" nullable:"false" doc:"The leader first, then by utility. With probability 1 − delta all intervals and ranges of ranks hold, at all times at once: under linear together with the certificate, under majority besides it."`
}

// A Rank is an arm in the leaderboard.
type Rank struct {
	Arm       Arm     `json:"arm"`
	Utility   float64 `json:"utility" doc:"The estimated utility minus that of the leader. Under majority the log odds of the share."`
	Low       float64 `json:"low" doc:"The true difference lies between low and high."`
	High      float64 `json:"high"`
	Share     float64 `json:"share" doc:"The estimated share of choices between this arm and the leader in which this arm is picked, under majority of people who choose it."`
	ShareLow  float64 `json:"share_low" doc:"The true share lies between share_low and share_high."`
	ShareHigh float64 `json:"share_high"`
	First     int     `json:"first" doc:"The true rank lies between first and last. The leader ranks before arms of the same utility."`
	Last      int     `json:"last"`
	Out       bool    `json:"out,omitempty" doc:"The arm is ruled out for good: another one is better by more than epsilon."`
}

// An Outside has the arms that are certified to be better or worse than none of them.
type Outside struct {
	Better []Arm `json:"better" nullable:"false" doc:"With probability 1 − delta, together with all other statements of the verdict, these arms are better than none."`
	Worse  []Arm `json:"worse" nullable:"false" doc:"Likewise, none is better than these arms. Other arms are undecided."`
}

// A SegmentVerdict is the current result about the people of one segment.
type SegmentVerdict struct {
	Segment     string   `json:"segment"`
	Status      string   `json:"status" enum:"asking,certified,cyclic" doc:"As the status of the verdict, about the people of this segment."`
	Leader      *Arm     `json:"leader,omitempty" doc:"The best arm so far; absent before a respondent of the segment is complete."`
	Contenders  []Arm    `json:"contenders" nullable:"false" doc:"Other arms that may still be the favourite of the segment, at most 10."`
	Others      int      `json:"others" doc:"The number of further contenders that are not listed."`
	Respondents int      `json:"respondents" doc:"The number of people of the segment whose answers count."`
	Answers     int      `json:"answers" doc:"The number of their answers."`
	Forecast    Forecast `json:"forecast" doc:"How many more answers of this segment it takes, if they compare its leader with its contenders."`
}

// A Counting reports the progress of counting a backlog of outcomes (answers, skipped and lost questions).
type Counting struct {
	Counted int `json:"counted" doc:"The number of outcomes counted."`
	Total   int `json:"total" doc:"The number of outcomes in the log."`
}

// A Contender is an arm that may still be better than the leader.
type Contender struct {
	Arm      Arm     `json:"arm"`
	Evidence float64 `json:"evidence" doc:"The log of the evidence against this arm being better than the leader by more than epsilon. At the threshold the arm is eliminated."`
	Lead     float64 `json:"lead" doc:"The leader's estimated lead in utility."`
	Low      float64 `json:"low" doc:"With probability 1 − delta, the true leads of all arms lie between low and high at all times."`
	High     float64 `json:"high"`
	Chosen   float64 `json:"chosen,omitempty" doc:"The estimated share of people who choose this arm over the leader. Only under majority."`
	Compared int     `json:"compared,omitempty" doc:"The number of people who compared this arm with the leader. Only under majority."`
}

// A Misfit is an arm whose features do not explain how often it was picked.
type Misfit struct {
	Arm      Arm     `json:"arm"`
	Picked   float64 `json:"picked" doc:"How often the arm was picked."`
	Expected float64 `json:"expected" doc:"How often the model predicts it."`
}

// Contenders is the list of contenders alone.
type Contenders struct {
	Contenders []Contender `json:"contenders" nullable:"false"`
	Others     int         `json:"others"`
}

// A Forecast estimates how many more answers are needed.
type Forecast struct {
	Known    bool    `json:"known" doc:"False, without numbers, while there is no forecast, or more answers are expected than there are. The total number of answers, those so far plus low to high, spans at most a factor of three."`
	Median   float64 `json:"median,omitempty" doc:"Absent if it is more than 10 million."`
	Low      float64 `json:"low,omitempty" doc:"Four in five studies need between low and high. Absent if it is more than 10 million."`
	High     float64 `json:"high,omitempty" doc:"Absent if it is more than 10 million."`
	Hopeless bool    `json:"hopeless,omitempty" doc:"The study is likely to need more than any reasonable budget. May be present while the numbers are not known."`
	Epsilon  float64 `json:"epsilon,omitempty" doc:"The epsilon that twice the current number of answers would certify."`
}

// A Fit describes whether the answers fit the model.
type Fit struct {
	Status   string  `json:"status" doc:"fits, doubtful or refuted"`
	Check    string  `json:"check,omitempty" doc:"The check with the most evidence against the model."`
	Sentence string  `json:"sentence,omitempty"`
	Remedy   string  `json:"remedy,omitempty"`
	Evidence float64 `json:"evidence" doc:"The log of the combined evidence against the model."`
}

// A Group counts the respondents who gave one answer to a profile question.
type Group struct {
	Question string `json:"question" doc:"The name of the profile question."`
	Answer   string `json:"answer"`
	Answered int    `json:"answered" doc:"The number of respondents who have answered a question of the study, and keep their place."`
	Reserved int    `json:"reserved" doc:"The number of respondents with open questions and no answer yet. A reservation ends 5 minutes after the last question."`
	Quota    int    `json:"quota,omitempty" doc:"The number of places; absent without a limit."`
}

// Judges compares the respondents of a study with one another.
type Judges struct {
	Answers   int     `json:"answers" doc:"The number of answers that are compared: of the last 100,000 outcomes."`
	Agreement float64 `json:"agreement" doc:"The share of the judges' choices that the consensus of all others finds most likely."`
	Expected  float64 `json:"expected" doc:"The mean of agreement if all judges follow the consensus."`
	Error     float64 `json:"error" doc:"The approximate false-positive rate: the probability that one or more judges are called random although all follow the consensus."`
	Unjudged  int     `json:"unjudged" doc:"The number of respondents that are not compared: those with fewer than 20 answers, and all but the 100 with the most answers."`
	Judges    []Judge `json:"judges" nullable:"false" doc:"The judges with the most answers first."`

	Estimates []Estimate `json:"estimates" nullable:"false" doc:"Bradley–Terry estimates from the same answers (Plackett–Luce for larger questions), the best arm first. Empty for more than 100 arms."`
}

// A Judge is a respondent, compared with the consensus of all others.
type Judge struct {
	Respondent string  `json:"respondent"`
	Kind       string  `json:"kind" enum:"person,model" doc:"As the respondent's last answer says."`
	Answers    int     `json:"answers"`
	Agreement  float64 `json:"agreement" doc:"The share of the judge's choices that the consensus finds most likely."`
	Expected   float64 `json:"expected" doc:"The mean of agreement if the judge follows the consensus."`
	Chance     float64 `json:"chance" doc:"The mean of agreement for random picks."`
	Scale      float64 `json:"scale" doc:"How closely the judge follows the consensus: 1 like the others, 0 not at all, negative against it."`
	ScaleError float64 `json:"scale_error" doc:"The standard error of scale."`
	P          float64 `json:"p" doc:"The p-value of the hypothesis that the judge follows the consensus."`
	Random     bool    `json:"random" doc:"The judge seems to answer at random: p is below error divided by the number of judges, and random picks explain the answers better than the consensus."`
}

// An Estimate is the utility of an arm, estimated by one utility for each arm.
type Estimate struct {
	Arm     Arm     `json:"arm"`
	Utility float64 `json:"utility" doc:"Utilities add up to zero."`
	Error   float64 `json:"error" doc:"The standard error."`
}
