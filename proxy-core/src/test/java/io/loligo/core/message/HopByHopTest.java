package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Hop-by-hop fields (RFC 9110 section 7.6.1)")
final class HopByHopTest {
  private static List<String> kept(String... lines) {
    String text = "GET / HTTP/1.1\r\n" + String.join("\r\n", lines) + "\r\n\r\n";
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    List<String> names = new ArrayList<>();
    HopByHop hopByHop = HopByHop.of(head.fields());
    for (int i = 0; i < head.fields().count(); i++) {
      if (!hopByHop.drops(head.fields(), i)) {
        names.add(head.fields().name(i));
      }
    }
    return names;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection",
        "Keep-Alive",
        "Proxy-Connection",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Proxy-Authenticate",
        "Proxy-Authorization",
        "Proxy-Authentication-Info",
        "HTTP2-Settings"
      })
  void dropsTheStandardOnesUnasked(String name) {
    assertThat(kept(name + ": x", "Accept: y")).containsExactly("Accept");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content_Length",
        "content_length",
        "Transfer_Encoding",
        "TRANSFER_ENCODING",
        "X_Forwarded_For",
        "x_forwarded-for",
        "X-Forwarded_For"
      })
  void dropsFieldsThatServersMayTakeForTheProxys(String name) {
    assertThat(kept(name + ": x", "X_" + name + ": y")).containsExactly("X_" + name);
  }

  @Test
  @DisplayName("MUST remove the fields that Connection nominates")
  void dropsNominatedFields() {
    assertThat(
            kept(
                "X-One: 1",
                "Connection: close, X-ONE ,x-two",
                "X-Two: 2",
                "x-three: 3",
                "connection:X-Three",
                "X-Thre: 4",
                "X-Threee: 5"))
        .containsExactly("X-Thre", "X-Threee");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host",
        "Content-Length",
        "Content-Type",
        "Cache-Control",
        "Authorization",
        "Cookie",
        "Set-Cookie",
        "Via",
        "Forwarded",
        "X-Forwarded-For",
        "X-Forwarded-Proto",
        "X-Real-IP",
        "Date",
        "Age",
        "Expires",
        "ETag",
        "Vary",
        "Range",
        "If-None-Match",
        "CDN-Loop"
      })
  void keepsEndToEndFieldsWhateverIsNominated(String name) {
    assertThat(kept(name + ": 1", "Connection: close, " + name)).containsExactly(name);
  }

  /** Each field looked for in the whole list would be 10^11 bytes to compare. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void readsALongListOnceForAllFields() {
    int count = 100_000;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append("y-").append(count + i).append(',');
    }
    int listLength = text.length();
    text.append("y-").append(count).append("x-").append(count);
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    Fields fields = new Fields(count);
    fields.clear(bytes);
    fields.add(FieldName.CONNECTION, 0, 0, 0, listLength);
    fields.add(FieldName.OTHER, listLength, 8, 0, 0);
    for (int i = 0; i < count; i++) {
      fields.add(FieldName.OTHER, listLength + 8, 8, 0, 0);
    }
    HopByHop hopByHop = HopByHop.of(fields);
    assertThat(IntStream.range(0, fields.count()).filter(i -> hopByHop.drops(fields, i)))
        .containsExactly(0, 1);
  }

  @Test
  void keepsEverythingElse() {
    assertThat(kept("X-One: 1", "Accept: x", "Connection: keep-alive, ,"))
        .containsExactly("X-One", "Accept");
    assertThat(kept("X-One: 1")).containsExactly("X-One");
  }
}
