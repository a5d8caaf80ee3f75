package io.loligo.server.exchange.hit;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.range.ByteRange;
import io.loligo.core.range.Multipart;
import io.loligo.core.range.RangeSelection;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers a GET with the requested ranges (RFC 9110 sections 14 and 15.3.7). Stateless. */
final class RangeAnswer {
  private RangeAnswer() {}

  /**
   * Sends the head and the ranges. {@code entry} is borrowed if the result is null; the response is
   * then complete. Otherwise the result takes {@code entry} and sends the rest.
   *
   * @param known whether the client already has a part, see {@link ReplyFields#putFirst}
   * @param lines the lines specific to this response, borrowed
   */
  static @Nullable HitStream send(
      LoopServices services,
      Request request,
      Entry entry,
      boolean known,
      FieldLines lines,
      RangeSelection selected) {
    return switch (selected.outcome()) {
      case WHOLE -> throw new IllegalArgumentException("the whole is no range");
      case SINGLE -> single(services, request, entry, known, lines, selected.ranges().get(0));
      case MULTI -> multi(services, request, entry, known, lines, selected.ranges());
      case UNSATISFIABLE -> unsatisfiable(services, request.stream(), entry, lines);
    };
  }

  private static HitStream single(
      LoopServices services,
      Request request,
      Entry entry,
      boolean known,
      FieldLines lines,
      ByteRange range) {
    range.addContentRange(lines, entry.contentLength());
    int from = entry.hiddenLength();
    boolean cookies = services.caching.replaysSetCookie(request.httpPort(), entry);
    if (known || ReplyFields.isRearranged(entry.meta(), cookies)) {
      Fields stored = StoredFields.index(entry.visibleLines());
      ReplyFields.putFirst(stored, cookies, known, lines);
      from = entry.fieldsLength() - 2;
    }
    int length = entry.fieldsLength() - from;
    ClientStream stream = request.stream();
    ByteBuf block = entry.firstBlock();
    stream.head(
        services
            .scratch
            .head(206, lines)
            .block(block, entry.firstIndex(block) + from, length)
            .content(range.length(), false));
    HitStream rest = new HitStream(services, stream, entry);
    rest.add(null, range.first(), range.last() + 1);
    rest.writable();
    return rest;
  }

  private static HitStream multi(
      LoopServices services,
      Request request,
      Entry entry,
      boolean known,
      FieldLines lines,
      List<ByteRange> ranges) {
    Fields stored = StoredFields.index(entry.visibleLines());
    String boundary =
        "loligo-" + Long.toHexString(entry.key().high() ^ entry.meta().responseTimeMillis());
    Multipart parts =
        new Multipart(ranges, entry.contentLength(), stored.get(FieldName.CONTENT_TYPE), boundary);
    boolean cookies = services.caching.replaysSetCookie(request.httpPort(), entry);
    byte[] own = lines.toBytes();
    lines.clear();
    for (int i = 0; i < stored.count(); i++) {
      int id = stored.id(i);
      if (id != FieldName.CONTENT_TYPE
          && (cookies || id != FieldName.SET_COOKIE)
          && !(known && ReplyFields.isKnown(stored, i))) {
        lines.add(stored, i);
      }
    }
    lines.append(own, 0, own.length);
    parts.addContentType(lines);
    ClientStream stream = request.stream();
    stream.head(services.scratch.head(206, lines).content(parts.length(), false));
    HitStream rest = new HitStream(services, stream, entry);
    for (int i = 0; i < parts.count(); i++) {
      ByteRange range = parts.range(i);
      ByteBuf before = buffer(stream, parts.appendHead(i, new FieldLines(256)));
      rest.add(before, range.first(), range.last() + 1);
    }
    rest.add(buffer(stream, parts.appendEnd(new FieldLines(128))), 0, 0);
    rest.writable();
    return rest;
  }

  private static ByteBuf buffer(ClientStream stream, FieldLines lines) {
    ByteBuf buffer = stream.allocator().directBuffer(lines.length());
    lines.writeTo(buffer);
    return buffer;
  }

  private static @Nullable HitStream unsatisfiable(
      LoopServices services, ClientStream stream, Entry entry, FieldLines lines) {
    services.clock.addDate(lines, services.clock.millis());
    lines.append("Content-Range: bytes */").append(entry.contentLength()).endLine();
    stream.head(services.scratch.head(416, lines).content(0, true));
    return null;
  }
}
