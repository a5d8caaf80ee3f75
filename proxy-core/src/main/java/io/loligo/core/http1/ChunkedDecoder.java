package io.loligo.core.http1;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the chunked transfer coding (RFC 9112 section 7.1), strictly: sizes in hexadecimal
 * without sign or space, CRLF everywhere, extensions and trailers bounded. Confined to one thread;
 * reusable.
 *
 * <p>Trailer fields that frame, route, authenticate or control are dropped (RFC 9110 section
 * 6.5.1). Of the names that the proxy acts on, only those that may come late are kept.
 *
 * <pre>
 * state          at                                      goes to
 * SIZE           inside the chunk size                   SIZE_SPACE, EXT_START, SIZE_LF
 * SIZE_SPACE     white space after size or value         EXT_START
 * EXT_START      after a semicolon                       EXT_NAME
 * EXT_NAME       inside an extension's name              NAME_SPACE, EXT_START, EXT_EQUALS, SIZE_LF
 * NAME_SPACE     white space after a name                EXT_START, EXT_EQUALS
 * EXT_EQUALS     after an equals sign                    EXT_TOKEN, EXT_QUOTED
 * EXT_TOKEN      inside an extension's value             SIZE_SPACE, EXT_START, SIZE_LF
 * EXT_QUOTED     inside a quoted value                   EXT_ESCAPED, EXT_END
 * EXT_ESCAPED    after a backslash                       EXT_QUOTED
 * EXT_END        after a quoted value                    SIZE_SPACE, EXT_START, SIZE_LF
 * SIZE_LF        after the CR of the size line           DATA, TRAILER
 * DATA           inside the data                         DATA_CR
 * DATA_CR        after the data                          DATA_LF
 * DATA_LF        after the CR that follows the data      SIZE
 * TRAILER        see {@link FieldSection}                COMPLETE
 * </pre>
 */
public final class ChunkedDecoder {
  /** The results of {@link #next}. */
  public enum Event {
    /** These bytes contain nothing more. */
    NEED_MORE,
    /** {@link #dataLength()} bytes of content are at the reader index: take them, call again. */
    DATA,
    /**
     * The last chunk and the trailer section are complete; further bytes belong to the next
     * message.
     */
    END,
    FAILED
  }

  private enum State {
    SIZE,
    SIZE_SPACE,
    EXT_START,
    EXT_NAME,
    NAME_SPACE,
    EXT_EQUALS,
    EXT_TOKEN,
    EXT_QUOTED,
    EXT_ESCAPED,
    EXT_END,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER,
    COMPLETE,
    FAILED
  }

  /**
   * Limit of the extensions of all chunks together beyond the content, as a multiple of the limit
   * for one chunk: {@value}. Otherwise a client could make the proxy read thousands of bytes for
   * each one of content.
   */
  static final int EXCESS_FACTOR = 4;

  private static final int MAX_SIZE_DIGITS = 16;
  private static final int TRAILER_STEP = 256;
  private static final byte[] NO_TRAILERS = {};

  private static final FieldSet LATE_FIELDS =
      FieldSet.of(FieldName.OTHER, FieldName.ETAG, FieldName.CACHE_STATUS);

  private final int maxExtensionBytes;
  private final int maxTrailerBytes;
  private final FieldSection section;
  private final Fields received = new Fields(4);
  private final Fields trailers = new Fields(4);

  private State state = State.SIZE;
  private int sizeDigits;
  private int extensionBytes;
  private long excessBytes;
  private long remaining;
  private int dataLength;
  private byte[] trailerBytes = NO_TRAILERS;
  private int trailerLength;
  private int trailerPosition;
  private @Nullable ParseFailure failure;

  /** Those of the present chunk if it may be the last one; null: they are not kept. */
  private final @Nullable StringBuilder extensions;

  /** A decoder with these limits. */
  public ChunkedDecoder(ParseLimits limits) {
    this(limits, false);
  }

  /**
   * The same.
   *
   * @param keepsExtensions whether {@link #lastExtensions} is called
   */
  public ChunkedDecoder(ParseLimits limits, boolean keepsExtensions) {
    extensions = keepsExtensions ? new StringBuilder() : null;
    maxExtensionBytes = limits.maxChunkExtensionBytes();
    maxTrailerBytes = limits.maxTrailerBytes();
    section = new FieldSection(limits.maxFields());
  }

  /**
   * The error in the content that begins at the reader index of {@code in}, borrowed, as far as it
   * has arrived; null: none. The indices stay. Call it before {@link #next}.
   */
  public @Nullable ParseFailure preview(ByteBuf in) {
    int start = in.readerIndex();
    Event event = next(in);
    while (event == Event.DATA) {
      in.skipBytes(dataLength);
      event = next(in);
    }
    in.readerIndex(start);
    ParseFailure found = failure;
    reset();
    return found;
  }

  /** Starts over for the next message. */
  public void reset() {
    state = State.SIZE;
    sizeDigits = 0;
    extensionBytes = 0;
    excessBytes = 0;
    remaining = 0;
    dataLength = 0;
    trailerLength = 0;
    trailerPosition = 0;
    if (trailerBytes.length > TRAILER_STEP) {
      trailerBytes = NO_TRAILERS;
    }
    failure = null;
    section.reset();
    received.clear(NO_TRAILERS);
    trailers.clear(NO_TRAILERS);
  }

  /**
   * Whether an element is incomplete: a size, a chunk's data or the trailers. The line end after
   * the data does not count, because some senders send it with the next chunk.
   */
  public boolean isInsideChunk() {
    return state != State.DATA_CR && (state != State.SIZE || sizeDigits > 0);
  }

  /**
   * Consumes everything except content from {@code in}, borrowed; leaves content for the caller,
   * who takes all of it before the next call.
   */
  public Event next(ByteBuf in) {
    while (in.isReadable() && state.compareTo(State.COMPLETE) < 0) {
      switch (state) {
        case DATA -> {
          dataLength = (int) Math.min(remaining, in.readableBytes());
          remaining -= dataLength;
          excessBytes -= dataLength;
          if (remaining == 0) {
            state = State.DATA_CR;
          }
          return Event.DATA;
        }
        case TRAILER -> trailer(in);
        default -> step(in.readByte());
      }
    }
    return switch (state) {
      case COMPLETE -> Event.END;
      case FAILED -> Event.FAILED;
      default -> Event.NEED_MORE;
    };
  }

  /** After {@link Event#DATA}: bytes of content at the reader index, all readable, at least 1. */
  public int dataLength() {
    return dataLength;
  }

  /**
   * After {@link Event#END}: the trailer section over an array of the decoder's own, valid until
   * {@link #reset}; empty if there was none.
   */
  public Fields trailers() {
    return trailers;
  }

  /**
   * After {@link Event#END}: the extensions of the last chunk as they came, well-formed, from the
   * byte behind the first semicolon or blank. Only with {@code keepsExtensions}.
   */
  public String lastExtensions() {
    return String.valueOf(extensions);
  }

  /** After {@link Event#FAILED}. */
  public @Nullable ParseFailure failure() {
    return failure;
  }

  private void step(byte b) {
    switch (state) {
      case SIZE -> size(b);
      case SIZE_LF -> lineFeed(b, remaining == 0 ? State.TRAILER : State.DATA);
      case DATA_CR -> expect(b == '\r', State.DATA_LF, ParseFailure.BAD_CHUNK_END);
      case DATA_LF -> {
        expect(b == '\n', State.SIZE, ParseFailure.BAD_CHUNK_END);
        sizeDigits = 0;
        extensionBytes = 0;
      }
      default -> {
        if (b != '\r' && tooLarge(++extensionBytes, ++excessBytes)) {
          fail(ParseFailure.CHUNK_EXTENSION_TOO_LARGE);
        } else {
          if (extensions != null && remaining == 0 && b != '\r') {
            extensions.append((char) (b & 0xff));
          }
          extension(b);
        }
      }
    }
  }

  private boolean tooLarge(int ofThisChunk, long excess) {
    return ofThisChunk > maxExtensionBytes || excess > (long) EXCESS_FACTOR * maxExtensionBytes;
  }

  private void size(byte b) {
    int digit = Ascii.hexDigit(b);
    if (digit >= 0) {
      boolean overflows = remaining > Long.MAX_VALUE >> 4 || sizeDigits == MAX_SIZE_DIGITS;
      remaining = remaining << 4 | digit;
      sizeDigits++;
      expect(!overflows, State.SIZE, ParseFailure.BAD_CHUNK_SIZE);
    } else if (sizeDigits == 0) {
      fail(ParseFailure.BAD_CHUNK_SIZE);
    } else if (b == ';' || b == '\r' || Ascii.isBlank(b)) {
      extensionBytes = b == '\r' ? 0 : 1;
      if (extensions != null) {
        extensions.setLength(0);
      }
      expect(maxExtensionBytes >= extensionBytes, state, ParseFailure.CHUNK_EXTENSION_TOO_LARGE);
      if (state != State.FAILED) {
        afterValue(b);
      }
    } else {
      fail(b == '\n' ? ParseFailure.BARE_LF : ParseFailure.BAD_CHUNK_SIZE);
    }
  }

  /** RFC 9112 section 7.1.1. */
  private void extension(byte b) {
    switch (state) {
      case SIZE_SPACE -> {
        if (!Ascii.isBlank(b)) {
          expect(b == ';', State.EXT_START, ParseFailure.BAD_CHUNK_EXTENSION);
        }
      }
      case EXT_START -> {
        if (!Ascii.isBlank(b)) {
          expect(Ascii.isToken(b), State.EXT_NAME, ParseFailure.BAD_CHUNK_EXTENSION);
        }
      }
      case EXT_NAME -> {
        if (!Ascii.isToken(b)) {
          afterName(b);
        }
      }
      case NAME_SPACE -> {
        if (b == '\r') {
          fail(ParseFailure.BAD_CHUNK_EXTENSION);
        } else {
          afterName(b);
        }
      }
      case EXT_EQUALS -> {
        if (b == '"') {
          state = State.EXT_QUOTED;
        } else if (!Ascii.isBlank(b)) {
          expect(Ascii.isToken(b), State.EXT_TOKEN, ParseFailure.BAD_CHUNK_EXTENSION);
        }
      }
      case EXT_TOKEN -> {
        if (!Ascii.isToken(b)) {
          afterValue(b);
        }
      }
      case EXT_QUOTED -> {
        State next = b == '"' ? State.EXT_END : b == '\\' ? State.EXT_ESCAPED : State.EXT_QUOTED;
        expect(isText(b), next, ParseFailure.BAD_CHUNK_EXTENSION);
      }
      case EXT_ESCAPED -> expect(isText(b), State.EXT_QUOTED, ParseFailure.BAD_CHUNK_EXTENSION);
      default -> afterValue(b);
    }
  }

  private void afterName(byte b) {
    if (b == '=') {
      state = State.EXT_EQUALS;
    } else if (Ascii.isBlank(b)) {
      state = State.NAME_SPACE;
    } else {
      afterValue(b);
    }
  }

  private void afterValue(byte b) {
    switch (b) {
      case ';' -> state = State.EXT_START;
      case '\r' -> state = State.SIZE_LF;
      case ' ', '\t' -> state = State.SIZE_SPACE;
      case '\n' -> fail(ParseFailure.BARE_LF);
      default -> fail(ParseFailure.BAD_CHUNK_EXTENSION);
    }
  }

  private void lineFeed(byte b, State next) {
    expect(b == '\n', next, ParseFailure.BARE_CR);
    if (state == State.TRAILER) {
      received.clear(trailerBytes);
    }
  }

  private void trailer(ByteBuf in) {
    int room = maxTrailerBytes - trailerLength;
    int more = Math.min(Math.min(in.readableBytes(), room), TRAILER_STEP);
    if (trailerLength + more > trailerBytes.length) {
      int doubled = Math.max(TRAILER_STEP, trailerBytes.length * 2);
      trailerBytes = Arrays.copyOf(trailerBytes, doubled);
      received.rebase(trailerBytes);
    }
    in.getBytes(in.readerIndex(), trailerBytes, trailerLength, more);
    int end = trailerLength + more;
    trailerPosition = section.parse(trailerBytes, trailerPosition, end, received);
    if (section.failure() == null) {
      in.skipBytes(trailerPosition - trailerLength);
      trailerLength = trailerPosition;
    }
    if (section.isComplete()) {
      keepLateFields();
      state = State.COMPLETE;
    } else if (section.failure() != null) {
      fail(
          section.failure() == ParseFailure.TOO_MANY_FIELDS
              ? ParseFailure.TRAILER_TOO_LARGE
              : ParseFailure.BAD_TRAILER);
    } else if (trailerLength == maxTrailerBytes) {
      fail(ParseFailure.TRAILER_TOO_LARGE);
    }
  }

  /**
   * Whether a trailer field with this {@link FieldName} id is kept (RFC 9110 section 6.5.1), in
   * every version of HTTP.
   */
  public static boolean mayComeLate(int id) {
    return LATE_FIELDS.has(id);
  }

  private void keepLateFields() {
    trailers.clear(trailerBytes);
    for (int i = 0; i < received.count(); i++) {
      int id = received.id(i);
      if (mayComeLate(id)) {
        trailers.add(
            id,
            received.nameStart(i),
            received.nameLength(i),
            received.valueStart(i),
            received.valueEnd(i));
      }
    }
  }

  private void expect(boolean holds, State next, ParseFailure otherwise) {
    if (holds) {
      state = next;
    } else {
      fail(otherwise);
    }
  }

  private void fail(ParseFailure why) {
    state = State.FAILED;
    failure = why;
  }

  private static boolean isText(byte b) {
    return (b >= ' ' && b != 0x7f) || b < 0 || b == '\t';
  }
}
