package io.loligo.server.trace;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a collector that took a request, but not all of its spans (OTLP specification,
 * "Partial Success"). Immutable.
 *
 * @param rejectedSpans 0: it took all, and has a warning
 * @param message as in the JSON, with its escapes; may be empty
 */
record PartialSuccess(long rejectedSpans, String message) {
  private static final int MAX_MESSAGE = 200;

  private static final Pattern OBJECT = Pattern.compile("\"partialSuccess\"\\s*:\\s*\\{");

  /** A number of 64 bits is a string in the JSON of protocol buffers; both forms are read. */
  private static final Pattern REJECTED =
      Pattern.compile("\"rejectedSpans\"\\s*:\\s*\"?([0-9]{1,18})");

  private static final Pattern MESSAGE =
      Pattern.compile("\"errorMessage\"\\s*:\\s*\"((?:[^\"\\\\\\x00-\\x1f]++|\\\\.)*+)\"");

  /** The one in the content of an answer; null: the collector took everything. */
  static @Nullable PartialSuccess of(String json) {
    Matcher object = OBJECT.matcher(json);
    if (!object.find()) {
      return null;
    }
    Matcher rejected = REJECTED.matcher(json).region(object.end(), json.length());
    Matcher message = MESSAGE.matcher(json).region(object.end(), json.length());
    long spans = rejected.find() ? Long.parseLong(rejected.group(1)) : 0;
    String text = message.find() ? message.group(1) : "";
    return spans == 0 && text.isEmpty()
        ? null
        : new PartialSuccess(spans, text.substring(0, Math.min(MAX_MESSAGE, text.length())));
  }

  /** Collects the begin of a content. Confined to one answer. */
  static final class Content implements Consumer<Optional<byte[]>> {
    private static final int MAX_BYTES = 4 << 10;

    private final ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);

    @Override
    public void accept(Optional<byte[]> part) {
      part.ifPresent(more -> bytes.put(more, 0, Math.min(more.length, bytes.remaining())));
    }

    String text() {
      return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    }
  }
}
