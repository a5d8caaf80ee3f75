package io.loligo.server.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.config.ExaminedConfig;
import io.loligo.server.config.TextSource;
import io.loligo.server.explain.Question;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleQuestionsTest {
  private static final String FILE =
      """
      http_port 3128
      http_port 8080 accel defaultsite=www.example.com name=site
      auth_param basic program /users
      acl localnet src 10.0.0.0/8
      acl safe port 80 443
      acl bad dstdomain .bad.example
      acl inside dst 192.0.2.0/24
      acl jpg rep_mime_type image/jpeg
      acl named dstdomain .named.example
      external_acl_type grp %SRC /helper
      acl staff external grp staff
      acl alice proxy_auth alice
      acl half random 1/2
      acl night time 00:00-06:00
      acl site myportname site
      http_access allow site
      http_access deny !safe
      http_access deny bad
      deny_info 302:http://page.example/ bad
      http_access allow localnet
      http_access allow named
      http_access allow night
      http_access allow staff
      http_access allow alice
      http_access deny all
      cache deny inside
      cache_peer p.example parent 3128 0 no-query name=p
      cache_peer_access p deny bad
      never_direct allow half
      tcp_outgoing_address 10.0.0.7 localnet
      tcp_outgoing_address 10.0.0.8
      tcp_outgoing_address 10.0.0.9
      http_reply_access allow localnet
      http_reply_access deny jpg
      http_reply_access allow all
      access_log stdio:/log squid localnet
      reply_body_max_size 10 MB jpg
      miss_access deny bad
      """;

  private String file = FILE;
  private String url = "http://www.example.com/";
  private String client = "10.1.2.3";
  private String user;
  private String portName;
  private Map<String, List<byte[]>> addresses = Map.of();
  private Map<String, Boolean> helpers = Map.of();
  private long millis = 12 * 3_600_000;

  private RuleQuestions ask() {
    ExaminedConfig examined = TextSource.examine(file);
    assertThat(examined.result().errors()).isEmpty();
    String method = url.contains("/") ? "GET" : "CONNECT";
    try {
      return RuleQuestions.ask(
          examined,
          examined.result().config(),
          new Question(url, method, List.of(), "", client, portName),
          InetAddress.getByName(client),
          user,
          addresses,
          helpers,
          millis);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** The lines of one list in the report. */
  private String answer(String list) {
    return ask()
        .text()
        .lines()
        .dropWhile(line -> !line.startsWith(list + ": "))
        .takeWhile(line -> !line.isEmpty())
        .map(String::strip)
        .collect(Collectors.joining("|"));
  }

  @Test
  void theFirstMatchingLineDecides() {
    assertThat(ask().text()).startsWith("GET http://www.example.com/ by 10.1.2.3 at 3128\n");
    assertThat(answer("http_access"))
        .isEqualTo("http_access: allow|squid.conf:20: http_access allow localnet|localnet matches");
    url = "http://www.example.com:81/";
    assertThat(answer("http_access"))
        .isEqualTo("http_access: deny|squid.conf:17: http_access deny !safe|!safe matches");
    assertThat(ask().exitStatus()).isEqualTo(1);
  }

  @Test
  void aDenialTellsItsPage() {
    url = "x.bad.example:443";
    assertThat(answer("http_access"))
        .startsWith(
            "http_access: deny|deny_info: redirected to http://page.example/|squid.conf:18");
    assertThat(answer("cache_peer_access p")).startsWith("cache_peer_access p: deny|squid.conf:28");
    assertThat(answer("miss_access")).startsWith("miss_access: deny|squid.conf:38");
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThat(answer("cache")).contains("cache: undecided", "--dns www.example.com=ADDRESS");
    addresses = Map.of("www.example.com", List.of(new byte[] {(byte) 192, 0, 2, 1}));
    assertThat(answer("cache")).startsWith("cache: deny|squid.conf:26");
    client = "192.0.2.7";
    assertThat(answer("http_access"))
        .contains("http_access: undecided|squid.conf:23", "--answer staff=");
    assertThat(ask().exitStatus()).isEqualTo(2);
    helpers = Map.of("staff", false);
    assertThat(answer("http_access"))
        .contains("http_access: undecided|squid.conf:24", "--user NAME");
    user = "";
    assertThat(answer("http_access")).startsWith("http_access: asks for a login|squid.conf:24");
    user = "bob";
    assertThat(answer("http_access")).startsWith("http_access: deny|squid.conf:25");
    user = "alice";
    assertThat(answer("http_access")).startsWith("http_access: allow|squid.conf:24");
    assertThat(ask().exitStatus()).isZero();
    helpers = Map.of("grp", true);
    assertThat(answer("http_access")).startsWith("http_access: allow|squid.conf:23");
  }

  @Test
  void aDenialThatEndsWithTheUserAsksForAnother() {
    file = FILE.replace("http_access deny !safe", "http_access deny !alice");
    user = "bob";
    assertThat(answer("http_access"))
        .isEqualTo(
            "http_access: asks for a login|squid.conf:17: http_access deny !alice|!alice matches");
    assertThat(ask().exitStatus()).isEqualTo(1);
    user = "alice";
    assertThat(answer("http_access")).startsWith("http_access: allow|squid.conf:20");
  }

  @ParameterizedTest
  @CsvSource({"SslBump1, allow|squid.conf:18", "SslBump2, allow|squid.conf:21"})
  void aRequestOfNoTunnelIsInTheFirstStepOfSslBump(String step, String expected) {
    file =
        FILE.replace("acl half", "acl step at_step " + step + "\nacl half")
            .replace("http_access deny !safe", "http_access allow step");
    assertThat(answer("http_access")).startsWith("http_access: " + expected);
  }

  @Test
  void anAddressMayHaveAName() {
    client = "192.0.2.7";
    url = "http://192.0.2.9/";
    assertThat(answer("http_access")).contains("undecided|squid.conf:18", "--dns NAME=192.0.2.9");
    addresses = Map.of("a.named.example", List.of(new byte[] {(byte) 192, 0, 2, 9}));
    assertThat(answer("http_access")).startsWith("http_access: allow|squid.conf:21");
  }

  @Test
  void timeAndPortCount() {
    client = "192.0.2.7";
    millis = 3_600_000;
    assertThat(answer("http_access")).startsWith("http_access: allow|squid.conf:22");
    portName = "site";
    assertThat(answer("http_access")).startsWith("http_access: allow|squid.conf:16");
    portName = "none";
    assertThatThrownBy(this::ask).hasMessageContaining("no port has the name none");
  }

  @Test
  void listsAboutTheResponseSaySo() {
    assertThat(answer("http_reply_access")).startsWith("http_reply_access: allow|squid.conf:33");
    client = "192.0.2.7";
    assertThat(answer("http_reply_access"))
        .startsWith("http_reply_access: depends on the response|squid.conf:34");
    assertThat(answer("reply_body_max_size 10 MB"))
        .startsWith("reply_body_max_size 10 MB: depends on the response|squid.conf:37");
  }

  @Test
  void linesWithoutActionApplyOrNot() {
    assertThat(answer("tcp_outgoing_address 10.0.0.7")).contains(": applies|squid.conf:30");
    assertThat(answer("tcp_outgoing_address 10.0.0.8")).contains(": not asked");
    assertThat(answer("access_log stdio:/log squid")).contains(": applies|");
    client = "192.0.2.7";
    assertThat(answer("tcp_outgoing_address 10.0.0.7")).contains(": does not apply|");
    assertThat(answer("tcp_outgoing_address 10.0.0.8")).contains(": applies|squid.conf:31");
    assertThat(answer("tcp_outgoing_address 10.0.0.9")).contains(": not asked");
    assertThat(answer("access_log stdio:/log squid"))
        .contains(": does not apply|", "localnet does not match");
  }

  @Test
  void chanceIsMentioned() {
    assertThat(answer("never_direct")).contains("(this time: an ACL of type random was asked)");
  }

  @Test
  void aRequestThatIsNoneIsRefused() {
    url = "http://bad host/";
    assertThatThrownBy(this::ask).hasMessageContaining("refused before any rule is asked: 400");
  }

  @Test
  void jsonHasTheSame() {
    assertThat(ask().json())
        .startsWith(
            "{\"request\": \"GET http://www.example.com/ by 10.1.2.3 at 3128\", \"lists\": [\n")
        .contains(
            "{\"list\": \"http_access\", \"outcome\": \"allow\", \"source\": \"squid.conf:20\","
                + " \"rule\": \"http_access allow localnet\", \"needs\": null, \"by_chance\":"
                + " false, \"effect\": \"\", \"acls\": [{\"term\": \"localnet\", \"answer\":"
                + " \"matches\"}]},\n");
  }
}
