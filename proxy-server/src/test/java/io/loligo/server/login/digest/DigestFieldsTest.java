package io.loligo.server.login.digest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DigestFieldsTest {
  /** The example of RFC 7616 section 3.9.1, without its response. */
  private static final String EXAMPLE =
      " username=\"Mufasa\", realm=\"http-auth@example.org\", uri=\"/dir/index.html\","
          + " nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", nc=00000001,"
          + " cnonce=\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\", qop=auth,"
          + " opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"";

  private static final String SHA_256 =
      "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1";
  private static final String MD5 = "8ca523f5e9506fed4657c9700eebdbec";

  private static String response(String algorithm, String hash) {
    return EXAMPLE + ", algorithm=" + algorithm + ", response=\"" + hash + "\"";
  }

  private static boolean isRight(String text, String password) {
    DigestFields fields = DigestFields.read(text);
    String ha1 = fields.algorithm().ha1(fields.user(), fields.realm(), password);
    return fields.answers(ha1, "GET");
  }

  @Test
  void theExamplesOfTheStandardAreRight() {
    assertThat(isRight(response("SHA-256", SHA_256), "Circle of Life")).isTrue();
    assertThat(isRight(response("MD5", MD5), "Circle of Life")).isTrue();
    assertThat(isRight(EXAMPLE + ",response=\"" + MD5 + "\"", "Circle of Life")).isTrue();
    assertThat(isRight(response("SHA-256", SHA_256), "Circle of life")).isFalse();
  }

  @Test
  void allPartsCount() {
    DigestFields right = DigestFields.read(response("SHA-256", SHA_256));
    String ha1 = right.algorithm().ha1("Mufasa", "http-auth@example.org", "Circle of Life");
    assertThat(right.answers(ha1, "GET")).isTrue();
    assertThat(right.answers(ha1, "POST")).isFalse();
    for (String[] other :
        new String[][] {
          {"index", "other"}, {"00000001", "00000002"}, {"7ypf", "8ypf"}, {"f2/w", "f3/w"}
        }) {
      String text = response("SHA-256", SHA_256).replace(other[0], other[1]);
      assertThat(DigestFields.read(text).answers(ha1, "GET")).as(other[0]).isFalse();
    }
    assertThat(right.count()).isEqualTo(1);
    assertThat(right).hasToString("DigestFields[Mufasa]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nc=00000001",
        "nc=1",
        "nc=0000000g",
        "qop=auth,",
        "qop=auth-int",
        "cnonce=",
        "uri=",
        "algorithm=SHA-256",
        "algorithm=MD5-sess",
        "username=",
        "username=\"\"",
        "username=\"a\nb\"",
        "username=\"a\\\"b\"",
        "response=00",
        "userhash=true",
        "extra",
        "x=\"open",
        "x=\"a\"b"
      })
  void otherFieldsAreNone(String part) {
    String right = response("MD5", MD5);
    String name = part.contains("=") ? part.substring(0, part.indexOf('=') + 1) : part;
    String text =
        right.contains(", " + name) || right.contains(" " + name)
            ? right.replaceFirst("\\b" + name + "(\"[^\"]*\"|[^,]*)", part.replace("\\", "\\\\"))
            : right + ", " + part;
    boolean valid = part.equals("nc=00000001") || part.equals("qop=auth,");
    assertThat(DigestFields.read(text) != null).as(text).isEqualTo(valid);
  }

  @Test
  void aParameterCountsOnce() {
    assertThat(DigestFields.read(response("MD5", MD5) + ", nc=00000001")).isNull();
    assertThat(DigestFields.read("")).isNull();
    assertThat(DigestFields.read("=")).isNull();
    assertThat(DigestFields.read(",,, ,")).isNull();
  }

  @Test
  void namesMayBeExtended() {
    // RFC 7616 section 3.9.2
    String text =
        response("MD5", MD5)
            .replace("username=\"Mufasa\"", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe");
    assertThat(DigestFields.read(text).user()).isEqualTo("J\u00c3\u00a4s\u00c3\u00b8n Doe");
    assertThat(DigestFields.userIn(text)).startsWith("J");
    for (String bad :
        new String[] {"UTF-8''%C", "UTF-8''%zz", "ISO-8859-1''a", "UTF-8'a", "UTF-8''"}) {
      assertThat(DigestFields.userIn("username*=" + bad)).as(bad).isNull();
    }
    assertThat(DigestFields.read(text + ", username=x")).isNull();
  }
}
