package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import io.loligo.core.message.ResponseHead;

/**
 * Updates stored fields from a 304 (RFC 9111 section 3.2): every field of the 304 replaces all
 * stored fields of its name. Stateless.
 */
public final class Freshening {
  /** Fields that frame or encode the stored content. */
  private static final FieldSet KEPT_OUT =
      FieldSet.of(FieldName.CONTENT_LENGTH, FieldName.CONTENT_ENCODING, FieldName.CONTENT_RANGE);

  /** Fields that date a message: the stored values do not apply to the response just confirmed. */
  private static final FieldSet DATING = FieldSet.of(FieldName.AGE, FieldName.DATE);

  private static final int ROOM_FOR_LINE = 64;

  private Freshening() {}

  /**
   * The stored response's head as if it had just been received whole. Its Age and Date are those of
   * the 304, or absent: the caller that stores the lines omits Age and adds a Date, as with any
   * response.
   *
   * @param status of the stored response
   * @param stored its field lines and empty line, borrowed
   * @param notModified the 304, borrowed
   * @return a head over bytes of its own: field lines and the empty line
   */
  public static ResponseHead merge(int status, byte[] stored, ResponseHead notModified) {
    Fields old = StoredFields.index(stored);
    Fields update = notModified.fields();
    HopByHop hopByHop = HopByHop.of(update);
    FieldLines lines = new FieldLines(stored.length + notModified.end() + ROOM_FOR_LINE);
    for (int i = 0; i < old.count(); i++) {
      if (!DATING.has(old.id(i)) && !isReplaced(old, i, update, hopByHop)) {
        lines.add(old, i);
      }
    }
    for (int i = 0; i < update.count(); i++) {
      if (updates(update, hopByHop, i)) {
        lines.add(update, i);
      }
    }
    return head(status, notModified.version(), lines.endLine().toBytes());
  }

  private static ResponseHead head(int status, int version, byte[] block) {
    ResponseHead head = new ResponseHead();
    head.clear(block);
    head.statusLine(version, status, 0, 0);
    head.end(StoredFields.index(block, 0, head.fields()));
    return head;
  }

  private static boolean isReplaced(Fields old, int i, Fields update, HopByHop hopByHop) {
    int id = old.id(i);
    if (id != FieldName.OTHER) {
      return update.has(id) && updates(update, hopByHop, update.first(id));
    }
    for (int u = 0; u < update.count(); u++) {
      if (update.id(u) == FieldName.OTHER
          && sameName(old, i, update, u)
          && updates(update, hopByHop, u)) {
        return true;
      }
    }
    return false;
  }

  /** Whether field {@code i} of a 304 may change the stored ones. */
  private static boolean updates(Fields update, HopByHop hopByHop, int i) {
    return !KEPT_OUT.has(update.id(i)) && !hopByHop.drops(update, i);
  }

  private static boolean sameName(Fields a, int i, Fields b, int j) {
    if (a.nameLength(i) != b.nameLength(j)) {
      return false;
    }
    for (int k = 0; k < a.nameLength(i); k++) {
      byte left = a.bytes()[a.nameStart(i) + k];
      byte right = b.bytes()[b.nameStart(j) + k];
      if (Ascii.lower(left) != Ascii.lower(right)) {
        return false;
      }
    }
    return true;
  }
}
