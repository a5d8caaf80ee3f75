package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code auth_param basic program} with a helper program of Squid. */
class ProgramLoginWireTest extends WireTest {
  private HelperScript helper;

  private void start(String... more) throws Exception {
    helper =
        HelperScript.write(
            dir,
            "checker",
            /* channels= */ false,
            "'bob secret') echo OK ;;",
            "'eve secret') echo 'OK group=a group=b password=p' ;;",
            "'odd%20name p%25%20:%22') echo OK ;;",
            "'broken '*) echo 'BH message=\"no server\"' ;;",
            "'old '*) echo yes ;;",
            "'dies '*) exit 1 ;;");
    String[] lines = new String[more.length + 3];
    lines[0] = "auth_param basic program " + helper.path() + " -x";
    lines[1] = "acl users proxy_auth REQUIRED";
    lines[2] = "http_access allow users";
    System.arraycopy(more, 0, lines, 3, more.length);
    startProxy(lines);
    origin.otherwise(request -> request.ok("content"));
  }

  @ParameterizedTest
  @CsvSource({
    "bob:secret, 200",
    "bob:wrong, 407",
    "'odd name:p% :\"', 200",
    "broken:x, 503",
    "old:x, 503",
    "dies:x, 503",
  })
  void theProgramDecides(String credentials, int status) throws Exception {
    start();
    assertThat(get("/a", LoginFile.line(credentials)).status()).isEqualTo(status);
    assertThat(get("/a", LoginFile.line("bob:secret")).status()).isEqualTo(200);
  }

  @Test
  void theAnswerIsKept() throws Exception {
    start();
    get("/a", LoginFile.line("bob:secret"));
    get("/b", LoginFile.line("bob:secret"));
    assertThat(helper.asked()).containsExactly("bob secret");
  }

  @Test
  void pairsOfTheAnswerAreNotesOfEachRequest() throws Exception {
    start(
        "logformat f %{group}note %{password}note",
        "access_log stdio:" + dir.resolve("access.log") + " f");
    get("/a", LoginFile.line("eve:secret"));
    get("/a", LoginFile.line("eve:secret"));
    get("/a", LoginFile.line("bob:secret"));
    assertThat(stopAndReadLog()).containsExactly("a,b -", "a,b -", "- -");
  }

  @Test
  void aRequestWithoutCredentialsIsNotAskedAbout() throws Exception {
    start();
    assertThat(get("/a").status()).isEqualTo(407);
    assertThat(helper.asked()).isEmpty();
  }
}
