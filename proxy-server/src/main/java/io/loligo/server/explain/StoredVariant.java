package io.loligo.server.explain;

import io.loligo.core.caching.FreshnessSum;
import io.loligo.core.caching.StoredMeta;
import java.util.ArrayList;
import java.util.List;

/**
 * One stored response. Immutable.
 *
 * @param onDisk whether this copy is in a {@code cache_dir}; else in memory
 * @param selected whether the request asked about would use it
 * @param meta the input of decisions
 * @param selecting its selecting fields, {@code name: value}, secrets replaced
 * @param inputs the stored field lines that determine freshness and validation
 * @param freshness terms of age and lifetime
 * @param bytes memory that it keeps; on disk bytes of its first block
 * @param hits approximate number of hits there
 */
public record StoredVariant(
    boolean onDisk,
    boolean selected,
    StoredMeta meta,
    List<String> selecting,
    List<String> inputs,
    FreshnessSum freshness,
    long bytes,
    int hits) {

  /** Keeps copies of the lists. */
  public StoredVariant {
    selecting = List.copyOf(selecting);
    inputs = List.copyOf(inputs);
  }

  /** Other properties that decide on its use, in words. */
  public List<String> marks() {
    List<String> marks = new ArrayList<>();
    if (meta.part() != null) {
      marks.add("bytes " + meta.contentStart() + " to " + (meta.contentEnd() - 1) + " only");
    }
    add(marks, StoredMeta.COPY, "copy of another node's response, for 10 seconds at most");
    add(marks, StoredMeta.NO_CACHE, "validated before every use");
    add(marks, StoredMeta.MUST_REVALIDATE, "never served stale");
    add(marks, StoredMeta.HEURISTIC, "lifetime is heuristic");
    add(marks, StoredMeta.NEGATIVE, "negative response");
    add(marks, StoredMeta.IMMUTABLE, "immutable");
    add(marks, StoredMeta.NO_DATE, "sent without Date");
    if (meta.has(StoredMeta.TARGETED | StoredMeta.UNTARGETED)) {
      marks.add(port());
    }
    if (!meta.hasValidator()) {
      marks.add("no validator");
    }
    if (meta.staleWhileRevalidateSeconds() > 0) {
      marks.add("stale-while-revalidate " + meta.staleWhileRevalidateSeconds() + " s");
    }
    if (meta.staleIfErrorSeconds() >= 0) {
      marks.add("stale-if-error " + meta.staleIfErrorSeconds() + " s");
    }
    return marks;
  }

  /** The kind of port that may use it, if a field is for gateways only (RFC 9213). */
  private String port() {
    if (meta.isFor(true) && meta.isFor(false)) {
      return "CDN-Cache-Control decides, on accel ports only";
    }
    return meta.isFor(true)
        ? "for accel ports only, by CDN-Cache-Control"
        : "not for accel ports, by CDN-Cache-Control";
  }

  private void add(List<String> marks, int flag, String text) {
    if (meta.has(flag)) {
      marks.add(text);
    }
  }
}
