# Sourced by .ci/run and .ci/full: reads what the tests of a build wrote into target/*-reports. Needs the folder $work.

# The reports, one file a class, each read by the awk program in $1.
in_reports() {
    find . -path '*/target/*-reports/TEST-*.xml' -not -path '*/node_modules/*' -exec awk "$1"'
        function value(name) {
            return match($0, " " name "=\"[^\"]*\"") ? plain(substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)) : ""
        }
        # The first line of a text, without what XML writes for its characters.
        function plain(text) {
            sub(/^( |&#(9|10|13|x9|xa|xd);)+/, "", text)
            sub(/&#(10|13|xa|xd);.*/, "", text)
            gsub(/&lt;/, "<", text)
            gsub(/&gt;/, ">", text)
            gsub(/&quot;/, "\"", text)
            gsub(/&apos;/, "\047", text)
            gsub(/&amp;/, "\\&", text)
            return substr(text, 1, 300)
        }
        ' {} +
}

# Counts what the tests wrote, as the last line: 'N passed, N failed, N skipped'. Fails if one failed or none ran.
summary() {
    in_reports '/<testsuite / { print value("tests"), value("failures") + value("errors"), value("skipped") }' |
        awk '
            { tests += $1; failed += $2; skipped += $3 }
            END {
                printf "%d passed, %d failed, %d skipped\n", tests - failed - skipped, failed, skipped
                exit (failed > 0 || tests - skipped <= 0)
            }'
}

# Lists the skipped tests, 'class.method: why'.
skipped() {
    in_reports '
        /<testcase / { test = value("classname") "." value("name") }
        /<skipped/ {
            why = value("message") == "" ? $0 : value("message") # of a parameterized test it stands in the text alone
            sub(/^.*Assumption failed: /, "", why)
            print test ": " why
        }' | sort
}

# Of the skipped tests on standard input, marks those that .ci/may-skip names with their reason. Fails if another is among them.
skipped_with_reason() {
    local refused=0 line allowed reason known
    while IFS= read -r line; do
        known=
        while read -r allowed reason; do
            case $allowed in '' | '#'*) continue ;; esac
            case $line in $allowed*) known=$reason ;; esac
        done <.ci/may-skip
        if [ -n "$known" ]; then
            echo "   $line ($known)"
        else
            echo "   $line"
            refused=1
        fi
    done
    [ "$refused" -eq 0 ]
}

# Lists the failed tests, 'class.method: the first line of its message', at most 40 of them.
failed() {
    in_reports '
        /<testcase / { test = value("classname") "." value("name"); told = 0 }
        /^ *<(failure|error)[ >\/]/ && !told {
            told = 1
            print test ": " (value("message") == "" ? value("type") : value("message"))
        }' | sort -u >"$work/failed"
    head -n 40 "$work/failed" | sed 's/^/   /'
    local count
    count=$(wc -l <"$work/failed")
    if [ "$count" -gt 40 ]; then
        echo "   and $((count - 40)) more"
    fi
}

# Lists the tests that failed and passed when they ran again, 'flaky: class.method: why'.
flaky() {
    in_reports '
        /<testcase / { test = value("classname") "." value("name") }
        /<flaky(Failure|Error)[ >\/]/ { print "flaky: " test ": " value("message") }' | sort -u
}

# What the build $1 (Maven's output) spent: minutes by module, the slowest classes, and what of both is too long.
times() {
    echo "== minutes by module"
    sed -n 's/^\[INFO\] \(.*[^ .]\) \.\.* \(SUCCESS\|FAILURE\) \[ *\([^]]*\)\].*/\3 \1/p' "$1" |
        awk '
            { seconds = $2 == "min" ? substr($1, 1, index($1, ":") - 1) * 60 + substr($1, index($1, ":") + 1) : $1 + 0
              sub(/^[^ ]+ (min|s) /, "")
              printf "%d %6.1f  %s%s\n", seconds, seconds / 60, $0, (seconds > 120 ? "  too long: over 2 minutes" : "") }' |
        sort -rn | head -n 15 | cut -d' ' -f2-
    echo "== the slowest classes"
    in_reports '/<testsuite / { printf "%8.1f s  %s%s\n", value("time"), value("name"), (value("time") + 0 > 20 ? "  too long: over 20 s" : "") }' |
        sort -rn | awk 'NR <= 10 || /too long/'
}

# Fails if a buffer leaked. The build looks for that module by module; this also sees the quickstart, and a module whose check was lost.
no_leaks() {
    ! { grep -l 'LEAK:' "$work"/*.log || find . -path '*/target/*-reports/*' -type f -exec grep -l 'LEAK:' {} + | grep .; }
}
