# palette.awk: how far apart colours are, for all eyes. Lines "KIND #RRGGBB" on
# standard input, and for each pair of kinds that is nearer than LEAST one line:
# who sees it so, both colours and their difference. With -v lab=1 the lines are
# "L a b L a b", and their differences are printed: a test of the formula.
#
# The difference is CIEDE2000 (Sharma, Wu, Dalal 2005). Who lacks a kind of cone
# is simulated after Machado, Oliveira and Fernandes 2009, severity 1.
BEGIN {
    pi = atan2(0, -1)
    eyes = split("all protanopia deuteranopia tritanopia", eye, " ")
    split("1 0 0 0 1 0 0 0 1", sim1, " ")
    split("0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 " \
          "-0.003882 -0.048116 1.051998", sim2, " ")
    split("0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 " \
          "-0.011820 0.042940 0.968881", sim3, " ")
    split("1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 " \
          "0.004733 0.691367 0.303900", sim4, " ")
    for (i = 1; i <= 9; i++) {
        sim[1, i] = sim1[i]; sim[2, i] = sim2[i]
        sim[3, i] = sim3[i]; sim[4, i] = sim4[i]
    }
}

function hex(text,    i, n) {
    for (i = 1; i <= length(text); i++)
        n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return n
}
function linear(c) {
    c /= 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ^ 2.4
}
function within(c) { return c < 0 ? 0 : c > 1 ? 1 : c }
function root(t) { return t > 0.008856 ? t ^ (1 / 3) : 7.787 * t + 16 / 116 }

# Lab[k, e, 1..3] of colour number k, as eye e sees it; white is D65.
function see(k, color, e,    r, g, b, i, c, x, y, z) {
    r = linear(hex(substr(color, 2, 2)))
    g = linear(hex(substr(color, 4, 2)))
    b = linear(hex(substr(color, 6, 2)))
    for (i = 0; i < 3; i++)
        c[i] = within(sim[e, 3 * i + 1] * r + sim[e, 3 * i + 2] * g + \
                      sim[e, 3 * i + 3] * b)
    x = root((0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2]) / 0.95047)
    y = root(0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2])
    z = root((0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2]) / 1.08883)
    Lab[k, e, 1] = 116 * y - 16
    Lab[k, e, 2] = 500 * (x - y)
    Lab[k, e, 3] = 200 * (y - z)
}

function sine(degrees) { return sin(degrees * pi / 180) }
function cosine(degrees) { return cos(degrees * pi / 180) }
function hue(a, b,    h) {
    h = atan2(b, a) * 180 / pi
    return h < 0 ? h + 360 : h
}
function difference(l1, a1, b1, l2, a2, b2,
                    c1, c2, c, g, h1, h2, dh, h, l, t, sl, sc, sh, rt) {
    c = (sqrt(a1 * a1 + b1 * b1) + sqrt(a2 * a2 + b2 * b2)) / 2
    g = (1 - sqrt(c ^ 7 / (c ^ 7 + 25 ^ 7))) / 2
    a1 *= 1 + g
    a2 *= 1 + g
    c1 = sqrt(a1 * a1 + b1 * b1)
    c2 = sqrt(a2 * a2 + b2 * b2)
    h1 = hue(a1, b1)
    h2 = hue(a2, b2)
    dh = h2 - h1
    h = (h1 + h2) / 2
    if (dh > 180 || dh < -180) {
        h += h < 180 ? 180 : -180
        dh += dh > 0 ? -360 : 360
    }
    l = (l1 + l2) / 2
    c = (c1 + c2) / 2
    t = 1 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + \
        0.32 * cosine(3 * h + 6) - 0.2 * cosine(4 * h - 63)
    sl = 1 + 0.015 * (l - 50) ^ 2 / sqrt(20 + (l - 50) ^ 2)
    sc = 1 + 0.045 * c
    sh = 1 + 0.015 * c * t
    rt = -2 * sqrt(c ^ 7 / (c ^ 7 + 25 ^ 7)) * \
        sine(60 * exp(-((h - 275) / 25) ^ 2))
    l = (l2 - l1) / sl
    c = (c2 - c1) / sc
    h = 2 * sqrt(c1 * c2) * sine(dh / 2) / sh
    return sqrt(l * l + c * c + h * h + rt * c * h)
}

lab { printf "%.4f\n", difference($1, $2, $3, $4, $5, $6); next }
{
    kind[NR] = $1
    color[NR] = $2
    for (e = 1; e <= eyes; e++)
        see(NR, $2, e)
    for (k = 1; k < NR; k++)
        for (e = 1; e <= eyes && kind[k] != $1; e++) {
            d = difference(Lab[k, e, 1], Lab[k, e, 2], Lab[k, e, 3], \
                           Lab[NR, e, 1], Lab[NR, e, 2], Lab[NR, e, 3])
            if (d < LEAST)
                printf "%s: %s %s and %s %s: %.1f\n", eye[e], kind[k], \
                    color[k], $1, $2, d
        }
}
