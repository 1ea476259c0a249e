# palette.awk: the sheet of a picture, with colours in place of their names
#
#   awk -v width=60 -f timeline/palette.awk timeline/palette.css svg.css
#
# Pages take palette.css as it is; a picture stands alone. Print stays light: the
# dark colours are for screens. Of an engine's kind, -odd is the shade of each
# second bar, -soft that of a box with much text, -drawn that of a drawing.
# A sheet says what is light, as "fill:var(--h2d)". What the dark changes of it
# follows; rules of short lines share one of that width.
FNR == 1 { file++ }
file == 1 && /@media/ { dark = 1 }
file == 1 {
    while (match($0, /--[a-z0-9-]+: [^;]+/)) {
        split(substr($0, RSTART, RLENGTH), is, ": ")
        color[dark + 0, is[1]] = is[2]
        $0 = substr($0, RSTART + RLENGTH)
    }
    next
}
{
    print filled($0, 0)
    changes = night($0)
    if (length(line changes) > width) {
        lines = lines line (line == "" ? "" : "\n")
        line = ""
    }
    line = line changes
}
END {
    print "@media screen and (prefers-color-scheme:dark){"
    print lines line "}"
    exit failed
}

function filled(text, which,    done, name) {
    while (match(text, /var\([a-z0-9-]+\)/)) {
        name = substr(text, RSTART + 4, RLENGTH - 5)
        if (!((which, name) in color)) {
            print FILENAME ": no colour " name | "cat >&2"
            failed = 1
        }
        done = done substr(text, 1, RSTART - 1) color[which, name]
        text = substr(text, RSTART + RLENGTH)
    }
    return done text
}

# Of each rule what has a colour.
function night(text,    rule, part, rules, parts, i, k, kept, all) {
    rules = split(text, rule, "}")
    for (i = 1; i < rules; i++) {
        parts = split(rule[i], part, "[{;]")
        kept = ""
        for (k = 2; k <= parts; k++)
            if (index(part[k], "var("))
                kept = kept (kept == "" ? "" : ";") part[k]
        if (kept != "")
            all = all part[1] "{" filled(kept, 1) "}"
    }
    return all
}
