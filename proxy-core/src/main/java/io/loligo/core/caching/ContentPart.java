package io.loligo.core.caching;

import java.util.ArrayList;
import java.util.List;

/**
 * The part of its content that an incomplete stored response has (RFC 9111 section 3.3). Immutable.
 *
 * <p>A stored response is one piece. Several of them, read as one, may leave gaps.
 *
 * @param first offset of its first byte
 * @param end offset after its last byte, beyond {@code first}
 * @param gaps missing stretches within, in ascending order; they do not touch each other or an end
 */
public record ContentPart(long first, long end, List<ContentPart> gaps) {
  /** Keeps a copy of {@code gaps}. */
  public ContentPart {
    gaps = List.copyOf(gaps);
  }

  /** One piece. */
  public ContentPart(long first, long end) {
    this(first, end, List.of());
  }

  /**
   * Several pieces as one part.
   *
   * @param pieces without gaps of their own, in ascending order of their first bytes; at least one
   */
  public static ContentPart joined(List<ContentPart> pieces) {
    List<ContentPart> gaps = new ArrayList<>();
    long reached = pieces.get(0).first;
    for (ContentPart piece : pieces) {
      if (piece.first > reached) {
        gaps.add(new ContentPart(reached, piece.first));
      }
      reached = Math.max(reached, piece.end);
    }
    return new ContentPart(pieces.get(0).first, reached, gaps);
  }

  /** Bytes from its first to its last, gaps included. */
  public long length() {
    return end - first;
  }

  /** Whether all bytes from {@code from} to {@code last} are in it. */
  public boolean holds(long from, long last) {
    if (from < first || last >= end) {
      return false;
    }
    for (ContentPart gap : gaps) {
      if (from < gap.end && last >= gap.first) {
        return false;
      }
    }
    return true;
  }

  /** The stretches of {@code [from, to)} that are not in it, in ascending order. */
  public List<ContentPart> missing(long from, long to) {
    List<ContentPart> missing = new ArrayList<>();
    long at = from;
    long start = first;
    for (int i = 0; i <= gaps.size(); i++) {
      long stop = i < gaps.size() ? gaps.get(i).first : end;
      if (stop > at && start < to) {
        if (start > at) {
          missing.add(new ContentPart(at, start));
        }
        at = stop;
      }
      start = i < gaps.size() ? gaps.get(i).end : end;
    }
    if (at < to) {
      missing.add(new ContentPart(at, to));
    }
    return missing;
  }
}
