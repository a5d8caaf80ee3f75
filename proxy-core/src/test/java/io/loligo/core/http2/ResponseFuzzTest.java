package io.loligo.core.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.fuzz.Mutations;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replays {@code responses.txt} to {@link ResponseFuzz}, and mutations of it. */
final class ResponseFuzzTest {
  private static final String[] SPLICES = {
    ":status\u00fe200\u00ff",
    ":status\u00fe",
    "\u00ff",
    "\u00fe",
    ":",
    "\r\n",
    "\r",
    "\n",
    "\0",
    " ",
    "\t",
    "\u007f",
    "A",
    "connection\u00feclose\u00ff",
    "x\u00fey\u00ff",
    "content-length\u00fe5\u00ff"
  };

  private static byte[] input(String message) {
    String[] fields = VectorFile.fields(message);
    StringBuilder input = new StringBuilder();
    for (int i = 0; i < fields.length; i += 2) {
      input.append(i == 0 ? "" : ResponseFuzz.FIELD_END);
      input.append(fields[i]).append(ResponseFuzz.NAME_END).append(fields[i + 1]);
    }
    return input.toString().getBytes(ISO_8859_1);
  }

  @Test
  void survivesTheVectorsAndMutationsOfThem() throws Exception {
    List<byte[]> corpus =
        VectorFile.messages("responses.txt").map(ResponseFuzzTest::input).toList();
    assertThat(corpus).hasSizeGreaterThan(20);
    new Mutations(ResponseFuzz::test, corpus, SPLICES).run();
  }
}
