"""Measures search libraries on the chunks of a data directory of kb-mcp, and prints one JSON line per figure.

Usage: main.py DATA_DIR TEXTS [VECTORS]: the texts of the chunks as lines of JSON, in the order of their ids, since the
data directory has them packed, and a file of float32 vectors of 384 dimensions.

Each library gets the same passages, titles and queries. All run in this process with one client, so their times
have no HTTP in them. Indexes are written to a temporary directory, which is removed.
"""

import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import time

QUERIES = 300
TOP = 10
DIMENSIONS = 384


def report(peer, name, value, unit):
    print(json.dumps({"peer": peer, "name": name, "value": value, "unit": unit}), flush=True)


def quantiles(peer, kind, times):
    times = sorted(times)
    report(peer, f"{kind}, p50", times[len(times) // 2] * 1000, "ms")
    report(peer, f"{kind}, p95", times[int(len(times) * 0.95)] * 1000, "ms")


def measure(peer, kind, queries, search):
    for query in queries[:30]:
        search(query)
    times = []
    for query in queries[30:]:
        started = time.perf_counter()
        search(query)
        times.append(time.perf_counter() - started)
    quantiles(peer, kind, times)


def size_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(path) for name in names)


def words_of(query):
    return re.findall(r"\w+", query.lower())


def run_tantivy(folder, chunks, queries, text_bytes):
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", stored=True, indexed=True)
    builder.add_text_field("title", stored=True, tokenizer_name="en_stem")
    builder.add_text_field("body", stored=True, tokenizer_name="en_stem")
    path = os.path.join(folder, "tantivy")
    os.mkdir(path)
    index = tantivy.Index(builder.build(), path=path)
    started = time.perf_counter()
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    for id, title, text in chunks:
        writer.add_document(tantivy.Document(id=id, title=title, body=text))
    writer.commit()
    writer.wait_merging_threads()
    report("tantivy", "ingest", len(chunks) / (time.perf_counter() - started), "chunks/s")
    report("tantivy", "disk per byte of text", size_of(path) / text_bytes, "×")
    index.reload()
    searcher = index.searcher()

    def search(query):
        parsed = index.parse_query(" ".join(words_of(query)), ["title", "body"])
        return [searcher.doc(address) for _, address in searcher.search(parsed, TOP).hits]

    measure("tantivy", "words", queries, search)


def run_fts5(folder, chunks, queries, text_bytes):
    path = os.path.join(folder, "fts5.db")
    db = sqlite3.connect(path)
    db.executescript(
        "PRAGMA journal_mode = WAL;"
        "CREATE VIRTUAL TABLE c USING fts5 (title, body, tokenize = 'porter unicode61')"
    )
    started = time.perf_counter()
    with db:
        db.executemany("INSERT INTO c (rowid, title, body) VALUES (?, ?, ?)", chunks)
    report("SQLite FTS5 bm25()", "ingest", len(chunks) / (time.perf_counter() - started), "chunks/s")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    report("SQLite FTS5 bm25()", "disk per byte of text", size_of(path) / text_bytes, "×")

    def search(query):
        match = " OR ".join(f'"{word}"' for word in words_of(query))
        sql = "SELECT rowid, title, body FROM c WHERE c MATCH ? ORDER BY bm25(c) LIMIT ?"
        return db.execute(sql, (match, TOP)).fetchall()

    measure("SQLite FTS5 bm25()", "words", queries[:130], search)
    db.close()


def run_bm25s(folder, chunks, queries, text_bytes):
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    started = time.perf_counter()
    tokens = bm25s.tokenize([f"{title} {text}" for _, title, text in chunks], stopwords="en", stemmer=stemmer, show_progress=False)
    retriever = bm25s.BM25()
    retriever.index(tokens, show_progress=False)
    report("bm25s", "ingest", len(chunks) / (time.perf_counter() - started), "chunks/s")

    def search(query):
        words = bm25s.tokenize(query, stopwords="en", stemmer=stemmer, show_progress=False)
        return retriever.retrieve(words, k=TOP, show_progress=False)

    measure("bm25s", "words", queries, search)


def run_lancedb(folder, chunks, queries, text_bytes):
    import lancedb

    path = os.path.join(folder, "lance")
    db = lancedb.connect(path)
    started = time.perf_counter()
    rows = [{"id": id, "title": title, "body": text} for id, title, text in chunks]
    table = db.create_table("chunks", rows)
    table.create_fts_index("body", use_tantivy=False, stem=True, with_position=False)
    report("lancedb", "ingest", len(chunks) / (time.perf_counter() - started), "chunks/s")
    report("lancedb", "disk per byte of text", size_of(path) / text_bytes, "×")

    def search(query):
        return table.search(" ".join(words_of(query)), query_type="fts").limit(TOP).to_list()

    measure("lancedb", "words", queries, search)


def run_vectors(vectors, folder):
    import numpy
    import faiss
    from usearch.index import Index
    import sqlite_vec

    faiss.omp_set_num_threads(1)
    count, dimensions = vectors.shape
    asked = vectors[:: max(1, count // 230)][:230] + 0.05 * numpy.random.default_rng(1).standard_normal((1, dimensions)).astype("f4")
    asked /= numpy.linalg.norm(asked, axis=1, keepdims=True)

    flat = faiss.IndexFlatIP(dimensions)
    flat.add(vectors)
    exact = [set(flat.search(query[None], TOP)[1][0].tolist()) for query in asked]
    measure("faiss flat", "vectors", list(asked), lambda query: flat.search(query[None], TOP))
    del flat

    quantized = faiss.IndexScalarQuantizer(dimensions, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    quantized.train(vectors[:20_000])
    quantized.add(vectors)
    measure("faiss SQ8", "vectors", list(asked), lambda query: quantized.search(query[None], TOP))
    del quantized

    started = time.perf_counter()
    graph = Index(ndim=dimensions, metric="ip", dtype="i8")
    graph.add(numpy.arange(count), vectors)
    report("usearch HNSW i8", "ingest", count / (time.perf_counter() - started), "vectors/s")
    measure("usearch HNSW i8", "vectors", list(asked), lambda query: graph.search(query, TOP))
    found = [len(truth & set(graph.search(query, TOP).keys.tolist())) for truth, query in zip(exact, asked)]
    report("usearch HNSW i8", "recall@10", sum(found) / TOP / len(found), "")
    del graph

    db = sqlite3.connect(os.path.join(folder, "vec.db"))
    if not hasattr(db, "enable_load_extension"):
        return
    db.enable_load_extension(True)
    sqlite_vec.load(db)
    db.execute(f"CREATE VIRTUAL TABLE v USING vec0 (vector float[{dimensions}] distance_metric=cosine)")
    with db:
        db.executemany("INSERT INTO v (rowid, vector) VALUES (?, ?)", ((n + 1, vector.tobytes()) for n, vector in enumerate(vectors)))
    sql = f"SELECT rowid FROM v WHERE vector MATCH ? ORDER BY distance LIMIT {TOP}"
    measure("sqlite-vec", "vectors", list(asked)[:60], lambda query: db.execute(sql, (query.tobytes(),)).fetchall())


def main():
    data_dir, folder = sys.argv[1], tempfile.mkdtemp(prefix="kb-mcp-peers-")
    db = sqlite3.connect(f"file:{data_dir}/kb.db?mode=ro", uri=True)
    sql = "SELECT c.id, d.title FROM chunks c JOIN documents d ON d.id = c.document_id ORDER BY c.id"
    with open(sys.argv[2], encoding="utf-8") as file:
        chunks = [(id, title, json.loads(line)) for (id, title), line in zip(db.execute(sql), file)]
    text_bytes = db.execute("SELECT sum(size_bytes) FROM documents").fetchone()[0]
    with open(f"{data_dir}/queries.json", encoding="utf-8") as file:
        found = json.load(file)
    queries = [query for pair in zip(found["keywords"], found["questions"]) for query in pair][:QUERIES]
    try:
        for run in (run_tantivy, run_fts5, run_bm25s, run_lancedb):
            try:
                run(folder, chunks, queries, text_bytes)
            except Exception as error:  # a peer that is not installed, or another version of it
                print(f"{run.__name__}: skipped: {error}", file=sys.stderr)
        del chunks
        if len(sys.argv) > 3:
            import numpy

            run_vectors(numpy.fromfile(sys.argv[3], dtype="f4").reshape(-1, DIMENSIONS), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
