# group.awk: which files can be compiled as one, and the file that does it.
#
#     awk -v words=FILE -v most=N -v out=FOLDER -v root=FOLDER -f group.awk LIST
#
# FILE has every word of the C headers in question, LIST a .cu on each line. Out
# come the numbers of groups, and for group G in the folder `out` G.files,
# G.options and G.cu: the system's headers that its files all include, then each
# file in a namespace of its own.
#
# Most of what a compiler does for a short file is to read headers, so this is
# several times as quick. That one of several is refused says nothing: its files
# are then compiled one by one. That they are accepted must say what compiling
# each alone would, so a file stays alone wherever a namespace could hide its
# mistake:
# - It sees no header that it does not include: all in a group include the same
#   ones in the same order, before anything else. Ours are read again for each.
# - It sees no name of another file: that is in a namespace that nobody names.
#   Its macros, and those of our headers, are undefined behind it.
# - It declares no name that CUDA or the system uses in any C header (`words`),
#   for in a namespace that would hide theirs and not clash; nor a macro. What
#   includes C++ headers is compiled alone.
# - It ends where it began: what stands behind it is only valid, and found by
#   its full name, where each brace is closed and each declaration complete.
# - What makes a name the same in each namespace (extern "C"), enters another
#   one or concerns the compiler (#pragma) is compiled alone.
BEGIN {
    while ((getline line <words) > 0)
        taken[line] = 1
    close(words)
    # Not declared, whatever stands behind it.
    count = split("enum struct union sizeof __launch_bounds__ __attribute__ " \
                  "__align__ alignas static_assert", lines, " ")
    for (i = 1; i <= count; i++)
        delete taken[lines[i]]
}

# Found in the order in which a compiler looks; "" where it is not ours.
function find_header(name, folder, options,    lab, paths, n, i) {
    lab = options
    sub(/.*-Ilabs\//, "labs/", lab)
    sub(/ .*/, "", lab)
    n = split(folder " " lab " common grader/drivers grader", paths, " ")
    for (i = 1; i <= n; i++)
        if (is_there(paths[i] "/" name))
            return paths[i] "/" name
    return ""
}

function is_there(path,    line) {
    if (!(path in there)) {
        there[path] = (getline line <path) >= 0
        close(path)
    }
    return there[path]
}

# name_in(LINE): what an #include or #define is about, without its brackets.
function name_in(line) {
    sub(/^[ \t]*#[ \t]*[a-z]+[ \t]*/, "", line)
    if (match(line, /^(<[^>]*>|"[^"]*"|[A-Za-z_0-9]+)/))
        return substr(line, 1, RLENGTH)
    return ""
}

# A macro that shall be gone behind the file.
function add_macro(name) {
    declares(name)
    macros = macros "#undef " name "\n"
}

function add_include(name, folder, options,    path) {
    if (name ~ /^</) {
        if (name !~ /\.h>$/)
            alone = 1
        if (!index(system_headers, name))
            system_headers = system_headers "#include " name "\n"
        return
    }
    path = find_header(substr(name, 2, length(name) - 2), folder, options)
    if (path == "")
        alone = 1
    else
        read_header(path, options)
}

function read_header(path, options,    line, folder, lines, count, i) {
    if (path in visited)
        return
    visited[path] = 1
    folder = path
    sub(/\/[^\/]*$/, "", folder)
    count = 0
    while ((getline line <path) > 0)
        lines[++count] = line
    close(path)
    for (i = 1; i <= count; i++)
        if (lines[i] ~ /^[ \t]*#[ \t]*include/)
            add_include(name_in(lines[i]), folder, options)
        else if (lines[i] ~ /^[ \t]*#[ \t]*define/)
            add_macro(name_in(lines[i]))
}

# The line without comments, and with nothing in its literals.
function code_of(line,    code, found) {
    code = ""
    while (line != "") {
        if (in_comment) {
            if (!match(line, /\*\//))
                return code
            in_comment = 0
            line = substr(line, RSTART + 2)
        } else if (match(line,
                         /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\/|\/\*/)) {
            found = substr(line, RSTART, RLENGTH)
            code = code substr(line, 1, RSTART - 1)
            line = substr(line, RSTART + RLENGTH)
            if (found == "//")
                return code
            if (found == "/*")
                in_comment = 1
            else
                code = code (found ~ /^"/ ? "\"\"" : "0")
        } else {
            return code line
        }
    }
    return code
}

function declares(name) {
    if (name in taken)
        alone = 1
}

# Follow declarations, to know what is declared outside of functions: a name
# before ( = [ , ; or {, one after (*, and all in an enum.
function follow(code,    token) {
    while (match(code, /[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9A-Za-z_.]*|[^ \t]/)) {
        token = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        if (brace == 0 && token == "enum")
            is_enum = 1
        if (token ~ /^[A-Za-z_]/) {
            if (paren == 1 && brace == 0 && starred)
                declares(token)
            name = token
        } else if ((brace == 0 && paren == 0 || brace == 1 && is_enum) &&
                   token ~ /^[[(=,;{}]$/ && !value && before == name) {
            # A macro that may declare anything.
            if (token == "(" && name ~ /^[A-Z_0-9]+$/)
                alone = 1
            declares(name)
        }
        if (brace == 0 && paren == 0 || brace == 1 && is_enum)
            value = token == "=" || value && token !~ /^[,;}]$/
        if (brace == 0 && token == "(")
            is_enum = 0
        brace += (token == "{") - (token == "}")
        paren += (token == "(") - (token == ")")
        if (token ~ /^[;}]$/ && brace == 0) {
            is_enum = value = 0
            name = ""
        }
        starred = token == "*" && (before == "(" || starred)
        before = token
        if (brace < 0 || paren < 0)
            alone = 1
    }
}

function read_directive(line, folder, options) {
    if (line ~ /^[ \t]*#[ \t]*include/) {
        if (begun)
            alone = 1
        headers = headers name_in(line)
        add_include(name_in(line), folder, options)
        return
    }
    begun = 1
    if (line ~ /^[ \t]*#[ \t]*define/)
        add_macro(name_in(line))
    else if (line !~ /^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif)/ &&
             line !~ /^[ \t]*#[ \t]*pragma[ \t]+unroll/)
        alone = 1
}

function read_file(file, options,    line, code, folder, directive) {
    alone = begun = in_comment = brace = paren = is_enum = value = 0
    headers = system_headers = macros = name = before = ""
    split("", visited)
    directive = 0
    folder = file
    sub(/\/[^\/]*$/, "", folder)
    while ((getline line <file) > 0) {
        if (directive || !in_comment && line ~ /^[ \t]*#/) {
            if (!directive)
                read_directive(line, folder, options)
            directive = line ~ /\\$/
            continue
        }
        code = code_of(line)
        if (code ~ /[^ \t]/)
            begun = 1
        # A wrong main has no excuse; what is left is plain enough.
        if (code ~ /extern *""|namespace|operator|asm|R""|\\$/ ||
            code ~ /(^|[^A-Za-z_0-9])main *\(/ &&
            code !~ /^int main\((void|int argc, char \*\*argv)?\)/)
            alone = 1
        follow(code)
    }
    close(file)
    if (brace || paren || in_comment)
        alone = 1
}

function begin_group(key, options) {
    group[key] = ++groups
    size[groups] = 0
    print options >>(out "/" groups ".options")
    close(out "/" groups ".options")
}

# How a file is compiled. Submissions of the corpus are students' code: warnings
# are theirs, and nvcc's front end, which reads the host's functions as well,
# tells whether they compile.
function options_of(file,    lab, flags, line, i) {
    lab = "08_uneven_chunks"
    if (match(file, /[0-9][0-9]_[a-z_]*/))
        lab = substr(file, RSTART, RLENGTH)
    for (i = 1; i <= 8 && (getline line <file) > 0; i++)
        if (i <= 3 && sub(/^\/\/ flags: /, "", line))
            flags = line
        else if (line ~ /^ \* .*-Xcompiler -fopenmp/) # how it is built
            flags = flags " -Xcompiler -fopenmp"
    close(file)
    if (file ~ /^vgpu\/tests\/frontend\//)
        flags = flags " -rdc=true --extended-lambda --expt-relaxed-constexpr"
    else if (file !~ /^(vgpu\/)?tests\/|build\/corpus\//)
        flags = flags " -Werror all-warnings"
    return "-Ilabs/" lab " " flags \
        (file ~ /build\/corpus\/|^tests\/corpus\// ? " -ptx" : " -c")
}

{
    options = options_of($0)
    read_file($0, options)
    key = alone ? $0 : options headers system_headers
    if (!(key in group) || size[group[key]] == most) {
        group[key] = ++groups
        print options >(out "/" groups ".options")
        close(out "/" groups ".options")
    }
    g = group[key]
    if (size[g]++ == 0)
        printf "%s", system_headers >>(out "/" g ".cu")
    printf "namespace f%d {\n#include \"%s\"\nnamespace end {\n" \
        "enum { reached };\n}\n}\nstatic_assert(::f%d::end::reached == 0, " \
        "\"\");\n%s", size[g], (/^\// ? "" : root "/") $0, size[g],
        macros >>(out "/" g ".cu")
    print $0 >>(out "/" g ".files")
    close(out "/" g ".cu")
    close(out "/" g ".files")
}

END {
    for (g = 1; g <= groups; g++)
        print g
}
