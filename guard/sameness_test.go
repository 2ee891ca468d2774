// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArgumentsThatAreTheSame(t *testing.T) {
	d := newDigester(t)
	for name, c := range map[string]struct {
		a, b   string
		varied []string
	}{
		"commentary": {
			`{"command":"git log","description":"Look at the log"}`, `{"command":"git log","description":"Check"}`,
			[]string{"description"},
		},
		"commentary and none": {`{"mode":"idle","reason":"waiting"}`, `{"mode":"idle"}`, []string{"reason"}},
		"request id":          {`{"q":"x","openaiRequestId":"a1"}`, `{"q":"x","openaiRequestId":"b2"}`, []string{"*request_id"}},
		"nested nonce":        {`{"q":{"a":1,"nonce":1}}`, `{"q":{"a":1,"nonce":2}}`, []string{"*nonce"}},
		"since, ISO":          {`{"since":"2026-11-03T10:00:05Z","limit":50}`, `{"since":"2026-11-03T10:00:06Z","limit":50}`, []string{"time"}},
		"since, epoch":        {`{"since":1793700000}`, `{"since":1793700001}`, []string{"epoch time"}},
		"UUID":                {`{"q":"run 550e8400-e29b-41d4-a716-446655440000"}`, `{"q":"run 0e8400e2-9b41-d4a7-1644-66554400aaaa"}`, []string{"UUID"}},
		"long hex":            {`{"q":"<<ext-8f3ab210>>"}`, `{"q":"<<ext-1c3ab2ff>>"}`, []string{"hex"}},
		"temp path":           {`{"path":"/tmp/tmpk3f9x2/out.log"}`, `{"path":"/tmp/tmpa0b1c2/out.log"}`, []string{"temp path"}},
		"ANSI":                {`{"q":"\u001b[31mred\u001b[0m"}`, `{"q":"red"}`, []string{"ANSI escapes"}},
		"white space":         {`{"cmd":": "}`, `{"cmd":":\n\n"}`, []string{"white space"}},
		"plain text":          {"ls  -l", "ls -l\n", []string{"white space"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := d.Args(c.a), d.Args(c.b)
			assert.NotEqual(t, a.Exact, b.Exact)
			assert.Equal(t, a.Normal, b.Normal)
			assert.Equal(t, c.varied, d.VariedNames(a.Varied|b.Varied))
		})
	}
}

func TestArgumentsThatDiffer(t *testing.T) {
	d := newDigester(t)
	for name, c := range map[string][2]string{
		"page":                       {`{"page":1}`, `{"page":2}`},
		"cursor that is a UUID":      {`{"cursor":"550e8400-e29b-41d4-a716-446655440000"}`, `{"cursor":"0e8400e2-9b41-d4a7-1644-66554400aaaa"}`},
		"next page token":            {`{"nextPageToken":"8f3ab210ff"}`, `{"nextPageToken":"1c3ab2ffee"}`},
		"offset":                     {`{"offset":1793700000}`, `{"offset":1793700001}`},
		"limit":                      {`{"limit":10}`, `{"limit":20}`},
		"start line":                 {`{"startLine":1}`, `{"startLine":41}`},
		"range of times":             {`{"range":{"from":"2026-11-03T10:00:05Z"}}`, `{"range":{"from":"2026-11-03T10:00:06Z"}}`},
		"date":                       {`{"day":"2026-12-24"}`, `{"day":"2026-12-31"}`},
		"time of day":                {`{"at":"10:00"}`, `{"at":"11:00"}`},
		"commentary alone":           {`{"thought":"a"}`, `{"thought":"b"}`},
		"commentary and a nonce":     {`{"thought":"a","nonce":1}`, `{"thought":"b","nonce":1}`},
		"nested commentary":          {`{"issue":{"title":"x","description":"a"}}`, `{"issue":{"title":"x","description":"b"}}`},
		"volatile key alone":         {`{"trace_id":"8f3ab210"}`, `{"trace_id":"1c3ab2ff"}`},
		"file in the temp directory": {`{"path":"/tmp/report.txt"}`, `{"path":"/tmp/notes.txt"}`},
		"numbered temp files":        {`{"path":"/tmp/part-01"}`, `{"path":"/tmp/part-02"}`},
		"ten digits that are no id":  {`{"order":1793700000}`, `{"order":1793700001}`},
		"pid in arguments":           {`{"pid":1}`, `{"pid":2}`},
		"duration in arguments":      {`{"cmd":"sleep 0.5s"}`, `{"cmd":"sleep 1.5s"}`},
		"case":                       {`{"q":"timeout"}`, `{"q":"TIMEOUT"}`},
		"type":                       {`{"v":10}`, `{"v":"10"}`},
		"element order":              {`["a","b"]`, `["b","a"]`},
		"last of many bytes":         {strings.Repeat("a", 5000) + "b", strings.Repeat("a", 5000) + "c"},
		"short hex":                  {`{"rev":"8f3ab2"}`, `{"rev":"1c3ab2"}`},
		"commit":                     {`{"commit":"8f3ab21000"}`, `{"commit":"1c3ab2ff00"}`},
		"empty and absent":           {`{}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			assert.NotEqual(t, d.Args(c[0]).Normal, d.Args(c[1]).Normal)
		})
	}
}

func TestResultsThatAreTheSame(t *testing.T) {
	d := newDigester(t)
	for name, c := range map[string][2]string{
		"pid and duration": {
			`{"stdout":"already running\n","exit":0,"pid":41277,"elapsed_ms":812}`,
			`{"stdout":"already running\n","exit":0,"pid":41293,"elapsed_ms":790}`,
		},
		"clock":              {`{"now":"2026-11-03T11:42:10Z"}`, `{"now":"2026-11-03T11:42:13.5+01:00"}`},
		"clock in ms":        {`{"now":1793700000123}`, `{"now":1793700001999}`},
		"message id":         {`{"ok":true,"messageId":"49847c0d479a5deabd"}`, `{"ok":true,"messageId":"754d3dbc9fe797797f"}`},
		"read counter":       {"retry: 4\n\n(this file was read 2x in this session)", "retry: 4\n\n(this file was read 13x in this session)\n"},
		"counted times":      {"x\n[read 2 times so far]", "x\n[read 3 times so far]"},
		"pid in text":        {"started worker (pid 4127)", "started worker (pid 51)"},
		"fraction of time":   {"ok  \tapp/retry\t0.012s", "ok  \tapp/retry\t0.3s"},
		"took":               {"5 failed, took 12 s", "5 failed, took 9 s"},
		"call id":            {"posted as msg_01AbCdEf9", "posted as msg_01XyZuVw7"},
		"object address":     {"<Frame at 0x7f9c2c3d4e50>", "<Frame at 0x7f9c2c3d4f10>"},
		"log times":          {"2026-11-03 10:00:05,123 WARN slow", "2026-11-03 10:00:07,9 WARN slow"},
		"compact time":       {"backup-20261103T114210Z.tar", "backup-20261103T114211Z.tar"},
		"slashed time":       {"2026/11/03 10:00:05 dial", "2026/11/03 10:00:06 dial"},
		"mktemp on macOS":    {"/var/folders/zz/k3f9x20000gn/T/a", "/var/folders/zz/a0b1c20000gn/T/a"},
		"terminal title":     {"\x1b]0;make 1\x07done\x1b(", "\x1b]0;make 2\x1b\\done"},
		"string and text":    {`"the same"`, `the same`},
		"epoch in text":      {"at 1793700000.25 lost", "at 1793700001 lost"},
		"list order is kept": {`[1, 2]`, `[1,2]`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, d.Result(c[0]).Normal, d.Result(c[1]).Normal)
		})
	}
}

func TestResultsThatDiffer(t *testing.T) {
	d := newDigester(t)
	for name, c := range map[string][2]string{
		"progress":             {"frame 48/2400  2%", "frame 96/2400  4%"},
		"commentary":           {`{"rang":false,"reason":"clapper is tied"}`, `{"rang":false,"reason":"bell is gone"}`},
		"counter in the text":  {"read 2x\nend", "read 3x\nend"},
		"times in the text":    {"(5 rows)\nread 2 times", "(5 rows)\nread 3 times"},
		"setting":              {"ceiling: 30s", "ceiling: 60s"},
		"checksum":             {`{"screenshot_sha":"59c5f1ec8689d416"}`, `{"screenshot_sha":"7b7b6e95ee7e281f"}`},
		"state":                {`{"state":"queued"}`, `{"state":"starting"}`},
		"version":              {"release 1.2.3", "release 1.2.4"},
		"row count":            {"imported 1,204 rows", "imported 9,877 rows"},
		"unknown prefix":       {"use part_01AbCdEf9", "use part_01XyZuVw7"},
		"short id":             {"call_a1", "call_b2"},
		"bracketed no counter": {"x (5 rows)", "x (6 rows)"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.NotEqual(t, d.Result(c[0]).Normal, d.Result(c[1]).Normal)
		})
	}
}

func TestErrorsKeepDigitsAndQuotedNames(t *testing.T) {
	d := newDigester(t)
	differ := [][2]string{
		{"Unknown column 'zip_code' in 'where clause'", "Unknown column 'postal_code' in 'where clause'"},
		{"payment total 70 does not match 64", "payment total 71 does not match 64"},
		{"gauge did not answer in 5 s", "gauge did not answer in 9 s"},
		{"no process with pid 17", "no process with pid 18"},
		{`Tool "wri" does not exist`, `Tool "ed" does not exist`},
		{"[Errno 2] No such file: 'a'", "[Errno 13] No such file: 'a'"},
	}
	for _, c := range differ {
		assert.NotEqual(t, d.Error(c[0]).Normal, d.Error(c[1]).Normal, c[0])
	}
	same := [][2]string{
		{"<<ext-8f3ab210>> no element matches \"Place order\" <<end-1c3ab2ff>>", "<<ext-0f3ab2aa>> no element matches \"Place order\" <<end-5c3ab2fe>>"},
		{"\x1b[1m2026-11-03T10:00:05Z\x1b[0m boom", "2026-11-03T10:00:09Z boom"},
		{"open /tmp/go-build123456/a.go: denied", "open /tmp/go-build987654/a.go: denied"},
		{`{"error":"rate limit","request_id":"a","duration_ms":3}`, `{"error":"rate limit","request_id":"b","duration_ms":4}`},
	}
	for _, c := range same {
		assert.Equal(t, d.Error(c[0]).Normal, d.Error(c[1]).Normal, c[0])
	}
	assert.True(t, d.Error("boom").Failed)
	assert.False(t, d.Result("boom").Failed)
}

func TestKeysThatCount(t *testing.T) {
	d := newDigester(t)
	a, b := `{"query":"x","depth":1,"description":"a"}`, `{"depth":2,"query":"x"}`
	assert.Equal(t, d.Args(a, "query"), d.Args(b, "query"))
	assert.NotEqual(t, d.Args(a).Exact, d.Args(a, "query").Exact)
	assert.NotEqual(t, d.Args(a, "depth"), d.Args(b, "depth"))
	assert.Equal(t, d.Args(a), d.Args(a, "missing"), "none there: everything counts")
	assert.NotEqual(t, d.Args(`{"reason":"a"}`, "reason"), d.Args(`{"reason":"b"}`, "reason"), "a named key is no commentary")
	assert.Equal(t, d.Args(`{"q":1,"x":{"y":2}}`, "y"), d.Args(`{"q":1,"x":{"y":2}}`), "at the top only")
	assert.Equal(t, d.Args(a, "query", "depth"), d.ArgsValue(raw(a), "depth", "query"))
	assert.Equal(t, d.Args("no json", "query"), d.Args("no json"))
}

func TestInformative(t *testing.T) {
	d := newDigester(t)
	long := strings.Repeat("x", 40)
	for text, want := range map[string]bool{
		long: true, long[1:]: false, `"` + long + `"`: true, "": false, "{}": false,
		`{"rows":[{"order":88121,"total":19.9},{"order":88125,"total":240.0}],"count":2}`:  true,
		`{"ok":true,"messageId":"49847c0d479a5deabd49847c0d479a5deabd49847c0d479a5deabd"}`: false,
		"Command executed successfully, and there was nothing that it had to say.":         false,
		"The file /srv/app/services/checkout/budget.go has been updated. Go on.":           false,
		"Your command ran successfully and did not produce any output.":                    false,
		`{"status":"success","detail":null,"confirmation":"accepted","stored":"updated"}`:  false,
		`{"status":"success","detail":"` + long + `"}`:                                     true,
		strings.Repeat("é", 39): false, strings.Repeat("é", 40): true,
		"The file was not found, so that nothing has been changed.": true,
	} {
		assert.Equal(t, want, d.Result(text).Informative, text)
	}
	brief, err := NewDigester(Sameness{MinResultChars: 3, Acknowledgements: []string{"ja*"}})
	require.NoError(t, err)
	assert.True(t, brief.Result("done").Informative)
	assert.False(t, brief.Result("Jawohl!").Informative)
}

func TestInProgress(t *testing.T) {
	d := newDigester(t)
	for text, want := range map[string]bool{
		`{"order":"o-5521","state":"pending"}`:                   true,
		`{"jobs":[{"id":1,"jobStatus":"IN_PROGRESS"}]}`:          true,
		`{"status":"running (43%)"}`:                             true,
		`running`:                                                true,
		`"Queued."`:                                              true,
		`Job 17 is still running, try later`:                     true,
		`{"message":"The export is not ready yet."}`:             true,
		`{"state":"done"}`:                                       false,
		`{"title":"Running"}`:                                    false,
		`{"status":"pending review by nobody"}`:                  false,
		`proxy: already running, nothing restarted`:              false,
		`{"stdout":"proxy: already running, nothing restarted"}`: false,
		`{"status":"submitted"}`:                                 false,
		`distill running water`:                                  false,
		`still runningback`:                                      false,
		`instill running`:                                        false,
		strings.Repeat("log line\n", 100) + "is still running":   false,
		`{"state":"awaiting payment"}`:                           false,
	} {
		assert.Equal(t, want, d.Result(text).InProgress, text)
	}
}

func TestText(t *testing.T) {
	d := newDigester(t)
	assert.Equal(t, d.Text("Let me  write\nthe DOCUMENT. "), d.Text(" let me write the document."))
	assert.Equal(t, d.Text("ÉTÉ"), d.Text("été"))
	assert.NotEqual(t, d.Text("a b").Print, d.Text("ab").Print)
	assert.Equal(t, 5, d.Text("Let me write the document.").Words)
	blank := d.Text(" \n\u00a0")
	assert.True(t, blank.Blank)
	assert.NotZero(t, blank.Print)
	assert.Equal(t, blank, d.Text(""))
}

func TestUnknownIsEqualToNothing(t *testing.T) {
	d := newDigester(t)
	assert.False(t, d.ArgsValue(Unknown).Known())
	assert.Equal(t, Outcome{}, d.ResultValue(Unknown))
	assert.Equal(t, Outcome{Failed: true}, d.ErrorValue(Unknown))
	assert.True(t, d.Args("").Known(), "an empty text was captured")
	assert.True(t, d.ArgsValue(nil).Known())
}

func TestListsAreChecked(t *testing.T) {
	for name, s := range map[string]Sameness{
		"star inside":           {VolatileKeys: []string{"a*b"}},
		"only a star":           {ResultKeys: []string{"*"}},
		"empty key":             {CommentaryKeys: []string{""}},
		"empty acknowledgement": {Acknowledgements: []string{"*"}},
		"star in progress":      {InProgress: []string{"run*"}},
		"negative length":       {MinResultChars: -1},
	} {
		_, err := NewDigester(s)
		assert.Error(t, err, name)
	}
}

func TestOwnLists(t *testing.T) {
	d, err := NewDigester(Sameness{CommentaryKeys: []string{}, VolatileKeys: []string{"x_*", "*seed*"}, InProgress: []string{"läuft", "moment please"}})
	require.NoError(t, err)
	assert.NotEqual(t, d.Args(`{"a":1,"reason":"a"}`).Normal, d.Args(`{"a":1,"reason":"b"}`).Normal)
	assert.Equal(t, d.Args(`{"a":1,"xTrace":1,"my_seed_no":1}`).Normal, d.Args(`{"a":1,"X-Trace":2,"my-seed-no":2}`).Normal)
	assert.NotEqual(t, d.Args(`{"a":1,"axtrace":1}`).Normal, d.Args(`{"a":1,"axtrace":2}`).Normal)
	assert.True(t, d.Result("One MOMENT, please").InProgress == false)
	assert.True(t, d.Result("moment please...").InProgress)
}

func TestKeysWithoutABitOfTheirOwnAreOther(t *testing.T) {
	var keys []string
	for i := range 80 {
		keys = append(keys, fmt.Sprintf("key%dx", i))
	}
	d, err := NewDigester(Sameness{VolatileKeys: keys})
	require.NoError(t, err)
	assert.Equal(t, []string{"other"}, d.VariedNames(d.Args(`{"a":1,"`+keys[79]+`":1}`).Varied))
	assert.Equal(t, []string{keys[0]}, d.VariedNames(d.Args(`{"a":1,"`+keys[0]+`":1}`).Varied))
}

func TestMasked(t *testing.T) {
	for text, want := range map[string]bool{
		"__REDACTED__": true, " <elided> ": true, "[redacted]": true, "***": true, "********": true, "n/a": true, "": true, " ": true,
		"*": false, "**": false, "ls *": false, "REDACTED is a word": false, "{}": false,
	} {
		assert.Equal(t, want, Masked(text), text)
	}
}
