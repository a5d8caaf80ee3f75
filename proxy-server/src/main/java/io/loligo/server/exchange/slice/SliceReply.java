package io.loligo.server.exchange.slice;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.range.ByteRange;
import io.loligo.core.range.ContentRange;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.services.LoopServices;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The head of the response for a slice: the arguments of {@link ClientStream#head} and an index of
 * its fields. Valid during that call.
 *
 * @param status the final status
 * @param fields all field lines, those of {@code lines} first
 * @param lines the lines specific to this response, borrowed
 * @param block further lines, the empty line and content, borrowed; null if none
 * @param index where the lines in {@code block} start
 * @param length bytes of {@code block} to send
 * @param contentLength bytes of the content, see {@link OutgoingHead#content}
 * @param last whether the response is complete with this head
 */
record SliceReply(
    int status,
    Fields fields,
    FieldLines lines,
    @Nullable ByteBuf block,
    int index,
    int length,
    long contentLength,
    boolean last) {

  /** Reads {@code head}, borrowed. */
  static SliceReply of(OutgoingHead head) {
    FieldLines lines = head.lines();
    byte[] all = new byte[lines.length() + head.length()];
    System.arraycopy(lines.bytes(), 0, all, 0, lines.length());
    if (head.block() != null) {
      head.block().getBytes(head.index(), all, lines.length(), head.length());
    }
    return new SliceReply(
        head.status(),
        StoredFields.index(all),
        lines,
        head.block(),
        head.index(),
        head.length(),
        head.contentLength(),
        head.last());
  }

  /**
   * The range of the whole that this response contains: that of {@code slice}, or everything if the
   * origin ignored the range. Null if it is unknown or another range.
   */
  @Nullable ContentRange place(Slice slice) {
    if (status == 200 && contentLength > 0 && !last) {
      return new ContentRange(new ByteRange(0, contentLength - 1), contentLength);
    }
    ContentRange place = status == 206 ? ContentRange.of(fields) : null;
    return place != null && slice.isAt(place, contentLength) ? place : null;
  }

  /**
   * Appends the fields that describe the whole.
   *
   * @param known whether the client already has a part, see {@link ReplyFields#putFirst}
   */
  void addTo(FieldLines to, boolean known) {
    for (int i = 0; i < fields.count(); i++) {
      if (fields.id(i) != FieldName.CONTENT_RANGE && !(known && ReplyFields.isKnown(fields, i))) {
        to.add(fields, i);
      }
    }
  }

  /** Appends the fields in {@code set}. */
  void addTo(FieldLines to, FieldSet set) {
    for (int i = 0; i < fields.count(); i++) {
      if (set.has(fields.id(i))) {
        to.add(fields, i);
      }
    }
  }

  /** Forwards the head unchanged. */
  void sendTo(ClientStream stream, LoopServices services) {
    stream.head(
        services
            .scratch
            .head(status, lines)
            .block(block, index, length)
            .content(contentLength, last));
  }
}
