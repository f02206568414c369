"""Token ids of the reference implementation, the Python library `tokenizers` (0.23).

    python reference.py classes                         tables of src/encoder/tokenizer/unicode_classes.ts
    python reference.py fixture TOKENIZER.json          wordpiece_ids.json, unigram_ids.json: the ids of texts.json
    python reference.py fuzz TOKENIZER.json N [SEED]    N random texts with their ids, one JSON array per line

compare.ts counts how many ids of random texts differ:

    python reference.py fuzz tokenizer.json 100000 | deno run -A compare.ts tokenizer.json

wordpiece_ids.json is made with the tokenizer.json of all-MiniLM-L6-v2, unigram_ids.json with unigram_tokenizer.json:
its tokens were trained with SentencePiece on texts.json, its charsmap has the entries of nmt_nfkc for those texts.
"""

import json
import random
import sys
from pathlib import Path

from tokenizers import Tokenizer, normalizers, pre_tokenizers

SURROGATES = range(0xD800, 0xE000)
TEXTS = json.loads(Path(__file__).with_name("texts.json").read_text())
# Ranges of code points that random texts favour: scripts, marks, spaces, controls, private use, supplementary.
RANGES = [
    (0, 0x7F), (0x80, 0xFF), (0x100, 0x24F), (0x250, 0x36F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F),
    (0x530, 0x58F), (0x590, 0x5FF), (0x600, 0x6FF), (0x700, 0x8FF), (0x900, 0x97F), (0x980, 0xDFF),
    (0xE00, 0xFFF), (0x1000, 0x109F), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1200, 0x139F), (0x13A0, 0x167F),
    (0x1680, 0x1AFF), (0x1B00, 0x1CFF), (0x1D00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x2BFF), (0x2C00, 0x2E7F),
    (0x2E80, 0x303F), (0x3040, 0x30FF), (0x3100, 0x33FF), (0x3400, 0x9FFF), (0xA000, 0xABFF), (0xAC00, 0xD7A3),
    (0xD7B0, 0xD7FF), (0xE000, 0xF8FF), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFFFF), (0x10000, 0x10FFF),
    (0x11000, 0x12FFF), (0x13000, 0x1CFFF), (0x1D000, 0x1EFFF), (0x1F000, 0x1FAFF), (0x20000, 0x2FA1F),
    (0x30000, 0x323AF), (0xE0000, 0xE01EF), (0xF0000, 0x10FFFF),
]
PIECES = ["[MASK]", "[SEP]", "[CLS", "</s>", "<mask>", "<s>", "\u2581", "##", " ", "  ", "\n", "\r\n", "\t", "\u00a0",
          "\u200d", "\ufe0f", "\u0301", "\u0308", "\u3099", "\u200b", "\ufffd", "\0", "\u00ad", "'", "-", "_", "Σ", "İ"]


def main():
    command, *arguments = sys.argv[1:]
    {"classes": classes, "fixture": fixture, "fuzz": fuzz}[command](*arguments)


def scalars():
    return (chr(c) for c in range(0x110000) if c not in SURROGATES)


def classes():
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    normalize = {option: normalizers.BertNormalizer(**{**off, option: True}).normalize_str for option in off}
    words = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    tables = {"control": [chr(c) for c in SURROGATES], "space": [" "], "punctuation": [], "chinese": [], "mark": []}
    for character in scalars():
        cleaned = normalize["clean_text"](character)
        split = [word for word, _ in words(f"a{character}b")]
        if cleaned == "":
            tables["control"].append(character)
        elif cleaned != character:
            tables["space"].append(character)
        if split == ["a", character, "b"]:
            tables["punctuation"].append(character)
        if normalize["handle_chinese_chars"](character) != character:
            tables["chinese"].append(character)
        if normalize["strip_accents"](character) == "":
            tables["mark"].append(character)
    for name, characters in tables.items():
        print(name, " ".join(ranges(sorted(map(ord, characters)))))


def ranges(code_points):
    first = None
    for code_point, following in zip(code_points, [*code_points[1:], None]):
        first = code_point if first is None else first
        if following != code_point + 1:
            yield f"{first:x}" if first == code_point else f"{first:x}-{code_point:x}"
            first = None


def load(path):
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: tokenizer.encode(text).ids


def fixture(path):
    encode = load(path)
    print(json.dumps({name: " ".join(map(str, encode(text))) for name, text in TEXTS.items()}, indent=2))


def fuzz(path, count, seed="1"):
    encode = load(path)
    choice = random.Random(int(seed))
    for _ in range(int(count)):
        text = random_text(choice)
        limit = choice.choice([2, 3, 8, 64, 256, 512])
        ids = encode(text)
        print(json.dumps([text, limit, [*ids[:-1][: limit - 1], ids[-1]]]))


def random_text(choice):
    return "".join(random_part(choice) for _ in range(choice.choice([1, 1, 2, 3, 6, 30])))


def random_part(choice):
    kind = choice.randrange(6)
    if kind == 0:  # A range of a sentence, perhaps with one character replaced.
        sentence = choice.choice(list(TEXTS.values()))
        start = choice.randrange(len(sentence))
        part = list(sentence[start : start + choice.randint(1, 40)])
        if choice.random() < 0.5:
            part[choice.randrange(len(part))] = random_character(choice)
        return "".join(part)
    if kind == 1:  # Letters of one script.
        first, last = choice.choice(RANGES)
        return "".join(character(choice.randint(first, last)) for _ in range(choice.choice([1, 2, 5, 12])))
    if kind == 2:
        return choice.choice(PIECES)
    if kind == 3:  # Words and identifiers.
        word = choice.choice(" ".join(TEXTS.values()).split())
        return choice.choice([word, word.upper(), word.lower(), word + " ", f"{word}_{choice.randint(0, 9999)}"])
    if kind == 4:  # A base with marks.
        return random_character(choice) + "".join(chr(choice.randint(0x300, 0x36F)) for _ in range(choice.randint(1, 3)))
    # Long words, around the maximum of 100 characters.
    return random_character(choice) * choice.choice([1, 2, 20, 99, 100, 101])


def random_character(choice):
    first, last = choice.choice(RANGES)
    return character(choice.randint(first, last))


def character(code_point):
    return "\ufffd" if code_point in SURROGATES else chr(code_point)


main()
