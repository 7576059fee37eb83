"""Certificates for tests: what `duets certs` makes, and one that it cannot make, an expired one."""

import base64
import hashlib
import re
import secrets
import shutil

import fleet

# The curve P-256: y^2 = x^3 - 3 x + b over the integers modulo P, its generator G and G's order.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def authority(scratch, name):
    """A directory with an authority, and certificates of everybody in a study of three agents."""
    directory = scratch / name
    for words in (["init"], ["server", "--host", "127.0.0.1", "--host", "tuner.example"],
                  ["agent", "0"], ["agent", "1"], ["agent", "2"], ["operator"]):
        result = fleet.duets(scratch, "certs", *words, "--dir", directory, "-q")
        assert result.returncode == 0, result.stderr
    return directory


def handed_out(scratch, name, source, identity, seen_as=None, ca=None):
    """A directory as a machine has it: ca.crt, and one certificate, under its name or another."""
    directory = scratch / name
    directory.mkdir()
    shutil.copy((ca or source) / "ca.crt", directory / "ca.crt")
    for ending in ("crt", "key"):
        shutil.copy(source / f"{identity}.{ending}",
                    directory / f"{seen_as or identity}.{ending}")
    return directory


def expire(certificate, authority_key):
    """Signs a certificate anew that ended in 2002."""
    der = _read_pem(certificate)
    tbs, algorithm, _ = _parts(_content(der))
    times = re.compile(rb"\x17\x0d\d{12}Z\x17\x0d\d{12}Z")
    assert len(times.findall(tbs)) == 1, "no validity of the usual form"
    tbs = times.sub(b"\x17\x0d010101000000Z\x17\x0d020101000000Z", tbs)
    signed = _tagged(0x30, tbs + algorithm + _tagged(0x03, b"\0" + _sign(authority_key, tbs)))
    text = base64.encodebytes(signed).decode()
    certificate.write_text(f"-----BEGIN CERTIFICATE-----\n{text}-----END CERTIFICATE-----\n")


def _read_pem(path):
    return base64.b64decode("".join(
        line for line in path.read_text().splitlines() if not line.startswith("-----")))


def _header(der):
    """(bytes before the content, length of the content)"""
    if der[1] < 0x80:
        return 2, der[1]
    more = der[1] & 0x7F
    return 2 + more, int.from_bytes(der[2:2 + more], "big")


def _content(der):
    start, length = _header(der)
    return der[start:start + length]


def _parts(content):
    parts = []
    while content:
        start, length = _header(content)
        parts.append(content[:start + length])
        content = content[start + length:]
    return parts


def _tagged(tag, content):
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def _add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    slope = ((3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P) if a == b
             else (b[1] - a[1]) * pow(b[0] - a[0], -1, P))
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def _times(number, point):
    result = None
    while number:
        if number & 1:
            result = _add(result, point)
        point = _add(point, point)
        number >>= 1
    return result


def _sign(key_file, data):
    """ECDSA with SHA-256."""
    found = re.search(rb"\x02\x01\x01\x04\x20(.{32})", _read_pem(key_file), re.DOTALL)
    key = int.from_bytes(found.group(1), "big")
    nonce = 1 + secrets.randbelow(ORDER - 1)
    r = _times(nonce, G)[0] % ORDER
    digest = int.from_bytes(hashlib.sha256(data).digest(), "big")
    s = pow(nonce, -1, ORDER) * (digest + r * key) % ORDER
    return _tagged(0x30, b"".join(
        _tagged(0x02, n.to_bytes(n.bit_length() // 8 + 1, "big")) for n in (r, s)))
