package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.wire.hostile.HostileVector;
import io.loligo.server.wire.hostile.HostileVector.Manner;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The behaviour of the origin in one vector, and its record: it answers the vector's own request as
 * the vector says, once, and everything else by a cacheable response that names the request. Every
 * arriving request must be unambiguous. Thread-safe.
 */
final class HostileOrigin {
  private static final Pattern REQUEST_LINE =
      Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~\\x80-\\xff]+ HTTP/1\\.1");
  private static final Pattern FIELD_LINE =
      Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[^\\x00-\\x08\\x0a-\\x1f\\x7f]*");

  private final HostileVector vector;
  private final String here;
  private final String bytes;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private boolean answered;

  /**
   * A request that arrived.
   *
   * @param connection by which of the origin's connections
   * @param whole its bytes; null where it did not come to its end
   */
  record Seen(int connection, String target, String head, CompletableFuture<WireMessage> whole) {
    WireMessage message() throws Exception {
      return whole.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * The origin of one vector.
   *
   * @param here path of the vector's own request
   * @param bytes the response to it, or null
   */
  HostileOrigin(HostileVector vector, String here, String bytes) {
    this.vector = vector;
    this.here = here;
    this.bytes = bytes;
  }

  void answer(ScriptedOrigin.Call call) throws IOException {
    String[] start = call.head().split(" ", 3);
    Seen request = new Seen(call.connection(), start[1], call.head(), new CompletableFuture<>());
    seen.add(request);
    boolean hostile = bytes != null && start[1].equals(here) && first();
    if (hostile && vector.has(Manner.ORIGIN_ANSWERS_AT_ONCE)) {
      call.send(bytes);
    }
    try {
      request.whole().complete(call.whole());
    } catch (IOException cut) {
      request.whole().complete(null);
      throw cut;
    }
    if (!hostile) {
      call.ok(own(start[0], start[1]), "Cache-Control: max-age=60");
      return;
    }
    if (!vector.has(Manner.ORIGIN_ANSWERS_AT_ONCE)) {
      call.send(bytes);
    }
    if (vector.has(Manner.ORIGIN_CLOSES)) {
      call.close();
    }
  }

  private synchronized boolean first() {
    boolean first = !answered;
    answered = true;
    return first;
  }

  /** Content of a healthy answer. */
  static String own(String method, String target) {
    return "own " + method + " " + target;
  }

  /** Requests that arrived, in order. */
  List<Seen> seen() {
    return seen;
  }

  /** Nothing that arrived can be read in two ways. */
  void requireUnambiguous() {
    for (Seen each : seen) {
      String[] lines = each.head().split("\r\n", -1);
      assertThat(lines[0]).as("request line at the origin").matches(REQUEST_LINE);
      for (int i = 1; i < lines.length - 2; i++) {
        assertThat(lines[i]).as("field line at the origin").matches(FIELD_LINE);
      }
      List<String> lengths = WireMessage.fields(each.head(), "Content-Length");
      List<String> codings = WireMessage.fields(each.head(), "Transfer-Encoding");
      assertThat(lengths.size() + codings.size()).as("lengths in %s", each.head()).isLessThan(2);
      assertThat(lengths).allMatch(length -> length.matches("\\d{1,18}"));
      assertThat(codings).allMatch("chunked"::equals);
      assertThat(WireMessage.fields(each.head(), "Host")).as("%s", each.head()).hasSize(1);
    }
  }
}
