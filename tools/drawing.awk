# drawing.awk: a drawing as text -> SVG. slides/drawings/README.md has the
# commands. All drawings have one style, light and dark. Ends with status 1, and
# says why on standard error, where a line is not understood or a text is wider
# than its box.

BEGIN {
    split("h2d sm d2h copy host bad plain", names, " ")
    for (i in names)
        kinds[names[i]] = 1
    size["big"] = 28; size["small"] = 20; size["normal"] = 22
    WIDE = 0.56                 # of a letter, in its size, on average
    MONO = 0.603
    at = 0
}

function wrong(text) {
    print FILENAME ":" FNR ": " text | "cat >&2"
    failed = 1
}
function escape(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}
function put(text) { body[++at] = text }
# The words of the line from number i on.
function rest(i,    text) {
    for (; i <= NF; i++)
        text = text (text == "" ? "" : " ") $i
    return text
}
function number(text) { return text ~ /^-?[0-9]+(\.[0-9]+)?$/ }
# Bytes that begin a letter: awk may count bytes.
function letters(text) {
    gsub(/[\200-\277]/, "", text)
    return length(text)
}
function width(text, px, mono) {
    return letters(text) * px * (mono ? MONO : WIDE)
}

# Lines parted by "|", their middle at y. @how: start, middle or end
function put_text(text, x, y, px, how, class, room,    
                  line, n, i, top, left, mono) {
    n = split(text, line, "|")
    top = y - (n - 1) * px * 0.6 + px * 0.35
    mono = class ~ /code/
    for (i = 1; i <= n; i++) {
        if (room && width(line[i], px, mono) > room + 4)
            wrong("\"" line[i] "\" needs " int(width(line[i], px, mono)) \
                  ", its box has " int(room))
        left = x - width(line[i], px, mono) * \
            (how == "end" ? 1 : how == "middle" ? 0.5 : 0)
        if (left < -4 || left + width(line[i], px, mono) > W + 4)
            wrong("\"" line[i] "\" reaches out of the drawing")
        if (line[i] != "")
            put("<text class=\"" class "\" x=\"" x "\" y=\"" \
                top + (i - 1) * px * 1.2 "\" font-size=\"" px \
                "\" text-anchor=\"" how "\">" escape(line[i]) "</text>")
    }
}
function put_box(class, x, y, w, h) {
    put("<rect class=\"" class "\" x=\"" x "\" y=\"" y "\" width=\"" w \
        "\" height=\"" h "\" rx=\"6\"/>")
}
# The head of an arrow that comes from (x1, y1) and ends at (x, y).
function put_head(kind, x1, y1, x, y,    dx, dy, len) {
    dx = x - x1
    dy = y - y1
    len = sqrt(dx * dx + dy * dy)
    if (len == 0)
        return
    dx *= 16 / len
    dy *= 16 / len
    put(sprintf("<path class=\"%s-h\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\"/>",
                kind, x, y, x - dx - dy / 2, y - dy + dx / 2,
                x - dx + dy / 2, y - dy - dx / 2))
}
# A line through the points from word i on; it ends before the head does.
function put_line(kind, i, class, ends,    d, n, k, x, y, dx, dy, len) {
    n = (NF - i + 1) / 2
    if (n < 2 || n != int(n)) {
        wrong("a line has two points at least, each with two numbers")
        return
    }
    for (k = 1; k <= n; k++) {
        x[k] = $(i + 2 * k - 2)
        y[k] = $(i + 2 * k - 1)
    }
    if (ends ~ />/)
        put_head(kind, x[n - 1], y[n - 1], x[n], y[n])
    if (ends ~ /</)
        put_head(kind, x[2], y[2], x[1], y[1])
    if (ends ~ />/) {
        dx = x[n] - x[n - 1]; dy = y[n] - y[n - 1]
        len = sqrt(dx * dx + dy * dy)
        x[n] -= dx / len * 12; y[n] -= dy / len * 12
    }
    if (ends ~ /</) {
        dx = x[2] - x[1]; dy = y[2] - y[1]
        len = sqrt(dx * dx + dy * dy)
        x[1] += dx / len * 12; y[1] += dy / len * 12
    }
    for (k = 1; k <= n; k++)
        d = d sprintf("%s%.1f %.1f", k == 1 ? "M" : "L", x[k], y[k])
    put("<path class=\"" kind "-l" class "\" d=\"" d "\"/>")
}

/^#/ || NF == 0 { next }
$1 == "size" { W = $2; H = $3; next }
$1 == "title" { title = rest(2); next }
$1 == "desc" { desc = desc (desc == "" ? "" : " ") rest(2); next }

$1 ~ /^(box|soft|room|cells|arrow|both|line|dash|bend|dot)$/ && !($2 in kinds) {
    wrong("no kind \"" $2 "\"")
    next
}
$1 == "box" || $1 == "soft" || $1 == "room" {
    put_box($1 == "box" ? $2 : $2 "-s", $3, $4, $5, $6)
    if ($1 == "room")
        put_text(rest(7), $3 + 14, $4 + 22, 22, "start", "t b", $5 - 20)
    else
        put_text(rest(7), $3 + $5 / 2, $4 + $6 / 2, 22, "middle", \
                 $1 == "box" ? "t in" : "t", $5 - 6)
    next
}
$1 == "cells" {
    for (i = 7; i <= NF; i++) {
        put_box($2 == "plain" ? "plain-s" : $2, $3 + (i - 7) * $5, $4, $5, $6)
        if ($i != "-")
            put_text($i, $3 + (i - 7) * $5 + $5 / 2, $4 + $6 / 2, 22, \
                     "middle", $2 == "plain" ? "t" : "t in", $5)
    }
    next
}
$1 == "arrow" { put_line($2, 3, "", ">"); next }
$1 == "both" { put_line($2, 3, "", "<>"); next }
$1 == "line" { put_line($2, 3, "", ""); next }
$1 == "dash" { put_line($2, 3, " dash", ""); next }
$1 == "bend" {
    put("<path class=\"" $2 "-l\" d=\"M" $3 " " $4 "Q" $5 " " $6 " " $7 " " $8 \
        "\"/>")
    put_head($2, $5, $6, $7, $8)
    next
}
$1 == "dot" {
    put("<circle class=\"" $2 "\" cx=\"" $3 "\" cy=\"" $4 "\" r=\"" $5 "\"/>")
    next
}
$1 == "cross" {
    put("<path class=\"bad-l\" d=\"M" $2 - $4 " " $3 - $4 "L" $2 + $4 " " \
        $3 + $4 "M" $2 - $4 " " $3 + $4 "L" $2 + $4 " " $3 - $4 "\"/>")
    next
}
# What a range is called: below it, or with "up" above it.
$1 == "brace" {
    i = $2 == "up" ? 3 : 2
    up = i == 3 ? -1 : 1
    put("<path class=\"plain-l\" d=\"M" $i " " $(i + 2) "v" (10 * up) \
        "H" $(i + 1) "v" (-10 * up) "\"/>")
    put_text(rest(i + 3), ($i + $(i + 1)) / 2, $(i + 2) + 28 * up, 22, \
             "middle", "t")
    next
}
$1 == "text" {
    how = "middle"; px = size["normal"]; class = "t"
    for (i = 2; i < NF && !number($i); i++)
        if ($i in size)
            px = size[$i]
        else if ($i == "left" || $i == "right")
            how = $i == "left" ? "start" : "end"
        else if ($i ~ /^(bold|grey|red|code)$/)
            class = class " " ($i == "bold" ? "b" : $i == "grey" ? "g" : $i)
        else
            wrong("no such text: " $i)
    put_text(rest(i + 2), $i, $(i + 1), px, how, class)
    next
}
{ wrong("no command \"" $1 "\"") }

END {
    if (!W || !H || title == "" || desc == "")
        wrong("size, title and desc are needed")
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.txt$/, "", name)
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " W " " H \
        "\" role=\"img\" aria-labelledby=\"" name "-title " name "-desc\">"
    print "<title id=\"" name "-title\">" escape(title) "</title>"
    print "<desc id=\"" name "-desc\">" escape(desc) "</desc>"
    print "<style>"
    while ((getline line < STYLE) > 0)
        print line
    print "</style>"
    print "<rect class=\"bg\" width=\"" W "\" height=\"" H "\"/>"
    for (i = 1; i <= at; i++)
        print body[i]
    print "</svg>"
    close("cat >&2")
    exit failed
}
