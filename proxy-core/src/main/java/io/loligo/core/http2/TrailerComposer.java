package io.loligo.core.http2;

import io.loligo.core.http1.ChunkedDecoder;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import org.jspecify.annotations.Nullable;

/**
 * Makes a trailer section from decoded fields. Fields that frame, route, authenticate or control
 * are dropped (RFC 9110 section 6.5.1); those of a connection make it malformed (RFC 9113 section
 * 8.2.2). Confined to one thread; for one section.
 */
public final class TrailerComposer implements HpackDecoder.Sink {
  private final ParseLimits limits;
  private final FieldLines lines = new FieldLines(128);
  private final Fields fields = new Fields(4);

  // those that are dropped count too
  private int size;
  private int count;

  private boolean malformed;

  /** A section within {@code limits}. */
  public TrailerComposer(ParseLimits limits) {
    this.limits = limits;
    fields.clear(lines.bytes());
  }

  @Override
  public void field(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    if (malformed) {
      return;
    }
    size += nameLength + valueLength + 4;
    int id = FieldName.of(name, nameStart, nameLength);
    malformed =
        ComposedHead.isOfConnection(id)
            || size > limits.maxTrailerBytes()
            || ++count > limits.maxFields()
            || ComposedHead.invalid(
                    name, nameStart, nameLength, value, valueStart, valueStart + valueLength)
                != null;
    if (malformed) {
      return;
    }
    if (!ChunkedDecoder.mayComeLate(id)) {
      return;
    }
    int start = lines.length();
    lines.append(name, nameStart, nameStart + nameLength).append(": ");
    int valueAt = lines.length();
    lines.append(value, valueStart, valueStart + valueLength);
    fields.add(id, start, nameLength, valueAt, lines.length());
    lines.endLine();
    fields.rebase(lines.bytes());
  }

  /** The section; null: it is malformed or too large. */
  public @Nullable Fields fields() {
    return malformed ? null : fields;
  }
}
