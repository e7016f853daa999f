package recorded_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// utilityOf gives every item a utility that depends on its name only.
func utilityOf(name string) float64 {
	sum := 0
	for i, c := range []byte(name) {
		sum += (i + 3) * int(c)
	}
	return math.Sin(float64(sum))
}

// orderings returns all orders of items.
func orderings(items []string) (all [][]string) {
	if len(items) == 0 {
		return [][]string{nil}
	}
	for i, item := range items {
		rest := append(append([]string(nil), items[:i]...), items[i+1:]...)
		for _, order := range orderings(rest) {
			all = append(all, append([]string{item}, order...))
		}
	}
	return all
}

// meanLogLikelihood is that of rankings such as "3 a>b=c>d|e f": the orders of tied items count equally, and items behind the
// bar are unranked.
func meanLogLikelihood(rankings ...string) float64 {
	total := 0.0
	for _, text := range rankings {
		times := 1.0
		if number, rest, found := strings.Cut(text, " "); found {
			if x, err := strconv.ParseFloat(number, 64); err == nil {
				times, text = x, rest
			}
		}
		ranked, rest, _ := strings.Cut(text, "|")
		orders := [][]string{nil}
		for group := range strings.SplitSeq(ranked, ">") {
			var longer [][]string
			for _, order := range orders {
				for _, tied := range orderings(strings.Split(group, "=")) {
					longer = append(longer, append(append([]string(nil), order...), tied...))
				}
			}
			orders = longer
		}
		for _, order := range orders {
			left := append(append([]string(nil), order...), strings.Fields(rest)...)
			for _, pick := range order {
				sum := 0.0
				for _, item := range left {
					sum += math.Exp(utilityOf(item))
				}
				total += times / float64(len(orders)) * (utilityOf(pick) - math.Log(sum))
				left = left[1:]
			}
		}
	}
	return total
}

func logLikelihoodOf(r *recorded.Rankings) float64 {
	u := make([]float64, len(r.Items))
	for i, item := range r.Items {
		u[i] = utilityOf(item)
	}
	return choice.NewFree(r.Items, r.Tally(r.Plain())).LogLikelihood(u)
}

// TestShapes: every shape in which people have votes and rankings, against rankings written by hand.
func TestShapes(t *testing.T) {
	const prefLib = "# FILE NAME: 1.toc\n# NUMBER ALTERNATIVES: 4\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Bob\n" +
		"# ALTERNATIVE NAME 3: Cid\n# ALTERNATIVE NAME 4: Dee\n"
	for _, c := range []struct {
		name, file, text string
		form             recorded.ItemForm
		want             []string
	}{
		{
			"wins of both teams", "g.csv", "home.team,away.team,home.wins,away.wins\na,b,4,3\nb,a,0,2\n",
			recorded.ItemForm{},
			[]string{"4 a>b", "3 b>a", "2 a>b"},
		},
		{"wins and ties, as CEMS", "g.csv", "student,school1,school2,win1,win2,tied,win1.adj\ns,a,b,1,0,0,1\ns,b,c,0,0,1,0.5\ns,a,c,NA,NA,NA,NA\n", recorded.ItemForm{}, []string{"a>b", "b=c"}},
		{
			"wins and ties, as sound.fields", "g.csv", "field1,field2,win1,tie,win2\na,b,3,2,1\n",
			recorded.ItemForm{},
			[]string{"3 a>b", "b>a", "2 a=b"},
		},
		{
			"wins and ties, as springall", "g.csv", "row,col,win,loss,tie\na,b,3,2,1\n",
			recorded.ItemForm{},
			[]string{"3 a>b", "2 b>a", "a=b"},
		},
		{
			"wins and ties, as pudding", "g.csv", "i,j,r_ij,w_ij,w_ji,t_ij\n1,2,6,3,2,1\n",
			recorded.ItemForm{},
			[]string{"3 1>2", "2 2>1", "1=2"},
		},
		{
			"wins by flags", "g.csv", "x,y,p,q\na,b,3,2\n",
			recorded.ItemForm{Left: "x", Right: "y", Wins: []string{"p", "q"}},
			[]string{"3 a>b", "2 b>a"},
		},
		{
			"results, as football", "g.csv", "season,home,away,result\n1,a,b,1\n1,b,c,0\n1,c,a,-1\n",
			recorded.ItemForm{},
			[]string{"a>b", "b=c", "a>c"},
		},
		{
			"results, as icehockey", "g.csv", "visitor,opponent,result\na,b,1\nb,c,0.5\nc,a,0\n",
			recorded.ItemForm{Left: "visitor", Right: "opponent", Winner: "result"},
			[]string{"a>b", "b=c", "a>c"},
		},
		{"results 1 and 2", "g.csv", "left,right,winner\n7,8,1\n8,9,2\n9,7,0\n", recorded.ItemForm{}, []string{"7>8", "9>8", "9=7"}},
		{
			"winners that are numbers", "g.csv", "left,right,winner\n1,2,2\n2,3,2\n3,1,1\n",
			recorded.ItemForm{},
			[]string{"2>1", "2>3", "1>3"},
		},
		{
			"a square table", "c.csv", "\"\",a,b,c\na,9,3,1\nb,2,9,0\nc,,5,9\n",
			recorded.ItemForm{},
			[]string{"3 a>b", "a>c", "2 b>a", "5 c>b"},
		},
		{
			"orders, as nascar", "r.csv", "rank1,rank2,rank3,rank4\n83,18,20,NA\n18,83,20,48\n5,NA,NA,NA\n",
			recorded.ItemForm{},
			[]string{"83>18>20", "18>83>20>48"},
		},
		{
			"orders by flags", "r.csv", "best,second,worst\na,b,c\nb,,a\n",
			recorded.ItemForm{Order: []string{"best", "second", "worst"}},
			[]string{"a>b>c", "b>a"},
		},
		{
			"the first two of all", "r.csv", "rank_1,rank_2,n\na,b,2\nc,a,1\n",
			recorded.ItemForm{Order: []string{"rank"}, Count: "n", Offered: []string{"all"}},
			[]string{"2 a>b|c", "c>a|b"},
		},
		{
			"a column for each item, as salad", "r.csv", "A,B,C,D\n1,2,3,4\n2,1,4,3\n",
			recorded.ItemForm{},
			[]string{"A>B>C>D", "B>A>D>C"},
		},
		{
			"ranks with ties and gaps, as carconf", "r.csv", "A,B,C,D,age\n1,1,3,,40\n2,2,0,1,30\n1.5,1.5,3,4,20\n",
			recorded.ItemForm{Ranks: []string{"A", "B", "C", "D"}},
			[]string{"A=B>C|D", "D>A=B|C", "A=B>C>D"},
		},
		{
			"ranks by the start of names", "r.csv", "rank_A,rank_B,rank_C\n1,2,3\n",
			recorded.ItemForm{Ranks: []string{"rank"}},
			[]string{"A>B>C"},
		},
		{
			"best and worst by letter, as beans", "b.csv",
			"variety_a,variety_b,variety_c,best,worst,year\nx,y,z,C,A,2015\nx,y,w,B,,2015\ny,z,w,NA,NA,2015\n",
			recorded.ItemForm{},
			[]string{"z>y>x", "y|x w"},
		},
		{
			"best and worst by number and name", "b.csv", "item1,item2,item3,top,flop\nx,y,z,3,x\n",
			recorded.ItemForm{Shown: []string{"item"}, Best: "top", Worst: "flop"},
			[]string{"z>y>x"},
		},
		{
			"PrefLib", "votes.toc", prefLib + "12: 1,{2,3},4\n3: 4,{1,2,3}\n1: 2,1,3,4\n1: 2\n",
			recorded.ItemForm{},
			[]string{"12 Ann>Bob=Cid>Dee", "3 Dee|Ann Bob Cid", "Bob>Ann>Cid>Dee"},
		},
		{"PrefLib without its ending", "votes.txt", prefLib + "12: 1,{2,3},4\n", recorded.ItemForm{}, []string{"12 Ann>Bob=Cid>Dee"}},
		{
			"PrefLib, old", "old.soi", "3\n1,Ann\n2,Bob\n3,Cid\n5,5,2\n3,1,2,3\n2,3,1\n",
			recorded.ItemForm{},
			[]string{"3 Ann>Bob>Cid", "2 Cid>Ann"},
		},
		{"a list of lists", "c.json", "[[0, 2, 1], [1, 0]]", recorded.ItemForm{}, []string{"0>2>1", "1>0"}},
		{
			"an object with a list of lists, as choix", "c.json",
			`{"n_items": 3, "data": [["a", ["b", "c"]], ["b", "a", "c"]], "ml_est": [1, 2, 3]}`,
			recorded.ItemForm{},
			[]string{"a|b c", "b>a>c"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := recorded.ReadItems(strings.NewReader(c.text), c.file, c.form)
			testsupport.NoError(t, err)
			approx.Equal(t, "log-likelihood", logLikelihoodOf(r), meanLogLikelihood(c.want...), 1e-12)
		})
	}
}

// TestShapeRefusals: files that have none of the shapes, in one line each.
func TestShapeRefusals(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		form             recorded.ItemForm
		says             string
	}{
		{"an item twice", "r.csv", "rank1,rank2\na,b\na,a\n", recorded.ItemForm{}, `r.csv:3: "a" appears twice`},
		{"no comparison", "r.csv", "rank1,rank2\na,\nb,\n", recorded.ItemForm{}, `r.csv: no answer compares two items`},
		{
			"one column", "r.csv", "rank1,x\na,\nb,\n",
			recorded.ItemForm{Order: []string{"rank"}},
			`r.csv: at least two columns must have the items or their ranks; there are rank1, x`,
		},
		{
			"a rank too high", "r.csv", "a,b,c\n1,2,3\n1,2,7\n",
			recorded.ItemForm{},
			`r.csv:3: column "c": "7" is not a rank from 1 to 3, or empty`,
		},
		{
			"a result of another code", "g.csv", "home,away,result\na,b,1\nb,a,-1\na,b,3\n",
			recorded.ItemForm{},
			`g.csv:4: column "result": 3 is not a result: 1, 0 and -1; 1, 0.5 and 0; or 1 and 2, with 0 for a tie`,
		},
		{
			"a negative count", "c.csv", ",a,b\na,0,-1\nb,1,0\n",
			recorded.ItemForm{},
			`c.csv:2: column "b": a count must be a whole number from 0 to 1000000000, got -1`,
		},
		{
			"a table that is not square", "c.csv", ",a,b\na,0,1\nc,1,0\n",
			recorded.ItemForm{},
			`c.csv:3: "c" has no column; a table of counts has the same items in rows and columns`,
		},
		{
			"an unknown letter", "b.csv", "item_a,item_b,best,worst\nx,y,D,A\n",
			recorded.ItemForm{},
			`b.csv:2: column "best": "D" is none of the items of the row, nor a letter or a number of one`,
		},
		{
			"best is worst", "b.csv", "item_a,item_b,best,worst\nx,y,B,B\n",
			recorded.ItemForm{},
			`b.csv:2: column "worst": "B" is the best and the worst item`,
		},
		{
			"no order", "v.soc", "# ALTERNATIVE NAME 1: a\nhello\n",
			recorded.ItemForm{},
			`v.soc:2: expected a number, a colon and an order, such as 12: 1,{2,3},4, found "hello"`,
		},
		{
			"no such alternative", "v.soc", "# ALTERNATIVE NAME 1: a\n2: 1,7\n",
			recorded.ItemForm{},
			`v.soc:2: "7" is not the number of an alternative`,
		},
		{
			"braces", "v.toc", "2: 1,{2,3\n",
			recorded.ItemForm{},
			`v.toc:1: the braces of a tie are not closed as they should be in "1,{2,3"`,
		},
		{
			"many tied", "v.toc", "2: {1,2,3,4,5,6,7},8\n",
			recorded.ItemForm{},
			`v.toc:1: more than 6 items share place 1, which is not the last`,
		},
		{"no item", "c.json", "[[1, null]]", recorded.ItemForm{}, `c.json:1: an item must be a text or a number, found "<nil>"`},
		{"no list", "c.json", "[[1, 2], 3]", recorded.ItemForm{}, `c.json:1: expected a list of items, best first, found "3"`},
		{
			"two lists", "c.json", `{"a": [[1, 2]], "b": [[1, 2]]}`,
			recorded.ItemForm{},
			`c.json: "a" and "b" are both lists of lists; leave one of them`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := recorded.ReadItems(strings.NewReader(c.text), c.file, c.form)
			wantError(t, err, c.says)
		})
	}
}

// TestUselessRankingsAreCounted: answers that compare nothing are counted.
func TestUselessRankingsAreCounted(t *testing.T) {
	r, err := recorded.ReadItems(strings.NewReader("rank1,rank2\na,b\na,\nb,a\n"), "r.csv", recorded.ItemForm{})
	testsupport.NoError(t, err)
	if r.Len() != 2 || len(r.Hints) != 1 || !strings.HasPrefix(r.Hints[0], "1 of 3 answers rank none of two or more items") {
		t.Errorf("%d rankings, hints %q", r.Len(), r.Hints)
	}
}

// TestTiesInLongForm: tied ranks of a model with features count like those of items.
func TestTiesInLongForm(t *testing.T) {
	const text = "task,who,rank,x\n1,a,1,1\n1,b,2,2\n1,c,2,4\n1,d,4,3\n2,a,,1\n2,b,1,2\n2,c,1,4\n"
	got := read(t, text, recorded.LongForm{Task: "task", Alternative: "who", Rank: "rank", Features: []string{"x"}})
	want := 0.0
	u := map[string]float64{"a": 1, "b": 2, "c": 4, "d": 3}
	const theta = 0.3
	add := func(weight float64, pick string, left ...string) {
		sum := 0.0
		for _, item := range left {
			sum += math.Exp(theta * u[item])
		}
		want += weight * (theta*u[pick] - math.Log(sum))
	}
	add(1, "a", "a", "b", "c", "d")
	add(.5, "b", "b", "c", "d")
	add(.5, "c", "b", "c", "d")
	add(.5, "c", "c", "d")
	add(.5, "b", "b", "d")
	// In the second task b and c share the first place, and a is unranked: the last place is not shared.
	add(.5, "b", "a", "b", "c")
	add(.5, "c", "a", "b", "c")
	add(.5, "c", "a", "c")
	add(.5, "b", "a", "b")
	approx.Equal(t, "log-likelihood", got.Records.LogLikelihood([]float64{theta}), want, 1e-13)
	if got.Tasks != 2 || len(got.Hints) != 1 {
		t.Errorf("%d tasks, hints %q", got.Tasks, got.Hints)
	}
}

// FuzzReadItems: whatever the bytes and the name, reading gives rankings that can be fitted without a NaN, or
// one line that names the file.
func FuzzReadItems(f *testing.F) {
	for _, seed := range []struct{ name, text string }{
		{".csv", "home.team,away.team,home.wins,away.wins\na,b,4,3\nb,a,0,2\n"},
		{".csv", ",a,b\na,9,3\nb,2,9\n"},
		{".csv", "rank1,rank2,rank3\na,b,c\nb,a,NA\n"},
		{".csv", "A,B,C\n1,2,3\n1,1,3\n"},
		{".csv", "v_a,v_b,v_c,v_d,best,worst\nx,y,z,w,A,C\n"},
		{".csv", "home,away,result\na,b,1\nb,a,-1\n"},
		{".soc", "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n2: 1,2\n1: 2,1\n"},
		{".toi", "3\n1,a\n2,b\n3,c\n3,3,2\n2,1,{2,3}\n1,{3,2},1\n"},
		{".json", `[["a","b"],["b",["a","c"]]]`},
		{".json", `{"data": [[1,2,3],[3,[1,2]]]}`},
	} {
		f.Add([]byte(seed.text), seed.name)
	}
	f.Fuzz(func(t *testing.T, text []byte, ending string) {
		if !slices.Contains([]string{".soc", ".toi", ".json"}, ending) {
			ending = ".csv"
		}
		r, err := recorded.ReadItems(strings.NewReader(string(text)), "fuzz"+ending, recorded.ItemForm{})
		if err != nil {
			checkErrorIn(t, err, "fuzz"+ending)
			return
		}
		if len(r.Items) < 50 && len(text) < 10_000 {
			fitWithoutNaN(t, choice.NewFree(r.Items, r.Tally(r.Plain())))
		}
	})
}
