package io.loligo.server.helper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads the answers of helpers as Squid does. */
class HelperReplyTest {
  private static HelperReply read(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.ISO_8859_1);
    return HelperReply.read(bytes, 0, bytes.length);
  }

  @ParameterizedTest
  @CsvSource({
    "OK,OK",
    "ERR,ERR",
    "BH,BROKEN",
    "'OK ',OK",
    "OKAY,UNKNOWN",
    "ok,UNKNOWN",
    "ERROR,UNKNOWN",
    "'',ERR",
    "O,UNKNOWN",
    "http://a/,UNKNOWN",
    "TT YWJj,CHALLENGE",
    "'TT ',BROKEN",
    "AF jim,OK",
    "NA no such user,ERR"
  })
  void theFirstWordIsTheResult(String line, HelperResult result) {
    assertThat(read(line).result()).isEqualTo(result);
  }

  @Test
  void pairsAreTokensOrQuoted() {
    HelperReply reply =
        read("OK user=John%20Smith message=\"J. \\\"Bob\\\" \\\\ %41\" tag= a_-1=x");
    assertThat(reply.first("user")).isEqualTo("John Smith");
    assertThat(reply.first("message")).isEqualTo("J. \"Bob\" \\ %41");
    assertThat(reply.first("tag")).isNull(); // a blank behind the sign: no pair
    assertThat(reply.rest()).isEqualTo("tag= a_-1=x");
  }

  @Test
  void keysMayRepeatAndBeEmpty() {
    HelperReply reply = read("ERR a=1 a=2 =3 url=\"http://a/?x=y z\"");
    assertThat(reply.pairs())
        .containsExactly(
            new HelperPair("a", "1"),
            new HelperPair("a", "2"),
            new HelperPair("", "3"),
            new HelperPair("url", "http://a/?x=y z"));
    assertThat(reply.text("b")).isNull();
  }

  @Test
  void lineEndsInQuotesAreDecodedAndBackslashesElsewhereStay() {
    assertThat(read("OK m=\"a\\r\\nb\"").first("m")).isEqualTo("a\r\nb");
    assertThat(read("OK m=a\\nb").first("m")).isEqualTo("a\\nb");
    assertThat(read("OK m=\"open end").first("m")).isEqualTo("open end");
    assertThat(read("OK m=\"").first("m")).isEmpty();
    assertThat(read("OK m=\"\"").text("m")).isNull();
  }

  @ParameterizedTest
  @CsvSource({"a%2Fb,a/b", "100%%,100%", "a%00b,a%00b", "a%4,a%4", "%zz,%zz", "%41%42,AB"})
  void tokensArePercentDecoded(String value, String decoded) {
    assertThat(read("OK v=" + value).first("v")).isEqualTo(decoded);
  }

  @Test
  void theTextOfBrokenAndOldAnswersIsTheirMessage() {
    assertThat(read("BH disk full").first("message")).isEqualTo("disk full");
    assertThat(read("BH message=\"disk full\"").first("message")).isEqualTo("disk full");
    assertThat(read("NA no user=x").first("message")).isEqualTo("no user=x");
    assertThat(read("NA no user=x").first("user")).isNull();
    assertThat(read("AF dG9r jim").first("token")).isEqualTo("dG9r");
    assertThat(read("AF dG9r jim").first("user")).isEqualTo("jim");
    assertThat(read("AF jim").first("user")).isEqualTo("jim");
    assertThat(read("TT dG9r").first("token")).isEqualTo("dG9r");
  }

  @Test
  void oldRewritersWriteAUrl() {
    HelperReply reply = read("301:http://a/ 10.0.0.1/- - GET");
    assertThat(reply.result()).isEqualTo(HelperResult.UNKNOWN);
    assertThat(reply.rest()).isEqualTo("301:http://a/ 10.0.0.1/- - GET");
  }

  @Test
  void anyBytesAreRead() {
    Random random = new Random(7);
    String alphabet = "OKERBH =\"\\%41\t\0\u00ff-_a";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder line = new StringBuilder(random.nextBoolean() ? "OK " : "");
      for (int n = random.nextInt(24); n > 0; n--) {
        line.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      HelperReply reply = read(line.toString());
      int kept = reply.rest().length();
      for (HelperPair pair : reply.pairs()) {
        kept += pair.value().length();
        assertThat(pair.key()).matches("[a-zA-Z0-9_-]*");
      }
      assertThat(kept).isLessThanOrEqualTo(line.length() + "Missing 'token' data".length());
    }
  }
}
