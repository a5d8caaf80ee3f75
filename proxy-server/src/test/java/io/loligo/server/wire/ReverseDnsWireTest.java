package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.wire.LyingDns.Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules about names, and requests for addresses: the name that DNS has for the address counts. */
class ReverseDnsWireTest extends WireTest {
  private static final String ADDRESS = "1.0.0.127.in-addr.arpa";
  private static final String BLOCK = "acl blocked dstdomain .blocked.test";

  private LyingDns dns;

  @BeforeEach
  void startDns() throws Exception {
    dns = closing(new LyingDns());
    origin.onOk("/x", "content", "Cache-Control: no-store");
  }

  private void startWith(String... rules) throws Exception {
    String text = configuration("hosts_file none").replace("http_access allow all\n", "");
    proxy =
        ProxyUnderTest.startAsking(
            dns.address(), text + String.join("\n", rules) + "\nhttp_access allow all\n");
  }

  private void named(String name) {
    dns.on(
        ADDRESS,
        q -> q.send(q.message(0, 0, new Entry(ADDRESS, LyingDns.PTR, LyingDns.nameBytes(name)))));
  }

  @Test
  void deniesAnAddressByItsName() throws Exception {
    named("WWW.Blocked.test");
    startWith(BLOCK, "http_access deny blocked");
    assertThat(get("/x").status()).isEqualTo(403);
    assertThat(get("/x").status()).isEqualTo(403);
    assertThat(dns.asked()).containsExactly(ADDRESS);
    assertThat(stopAndReadLog().get(0)).contains("TCP_DENIED/403");
  }

  @Test
  void deniesAnAddressByAnExpressionForItsName() throws Exception {
    named("ads7.example.test");
    startWith("acl blocked dstdom_regex ^ads[0-9]", "http_access deny blocked");
    assertThat(get("/x").status()).isEqualTo(403);
  }

  @Test
  void allowsAnAddressWithAnotherName() throws Exception {
    named("www.example.test");
    startWith(BLOCK, "http_access deny blocked");
    assertThat(get("/x").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acl blocked dstdomain -n .blocked.test",
        "acl blocked dstdom_regex -n blocked",
        "acl blocked dstdomain .blocked.test\nloligo_reverse_dns off",
        "acl blocked dstdomain .blocked.test none\nloligo_reverse_dns off",
        "acl get method GET\nacl here dst 127.0.0.0/8\nacl blocked dstdomain .blocked.test"
            + "\nhttp_access allow here get",
      })
  void asksNothingIfNoRuleNeedsIt(String rules) throws Exception {
    named("www.blocked.test");
    startWith(rules, "http_access deny blocked");
    assertThat(get("/x").status()).isEqualTo(200);
    assertThat(dns.asked()).isEmpty();
  }

  /** Rules about the address stand before and behind the one about its name. */
  @Test
  void decidesByAddressAndName() throws Exception {
    named("www.blocked.test");
    startWith(
        "acl far dst 192.0.2.0/24",
        BLOCK,
        "acl other dstdomain .other.test",
        "acl here dst 127.0.0.0/8",
        "http_access deny far",
        "http_access allow other",
        "http_access deny here blocked");
    assertThat(get("/x").status()).isEqualTo(403);
    assertThat(stopAndReadLog().get(0)).contains("TCP_DENIED/403");
    assertThat(dns.asked()).containsExactly(ADDRESS);
  }

  @Test
  void allowsByAddressAfterAnotherName() throws Exception {
    named("www.example.test");
    startWith(
        BLOCK, "acl far dst 192.0.2.0/24", "http_access deny blocked", "http_access deny far");
    assertThat(get("/x").status()).isEqualTo(200);
  }

  /** The other ACL of the line decides before the name is asked for. */
  @Test
  void asksNothingForALineThatCannotMatch() throws Exception {
    named("www.blocked.test");
    startWith("acl post method POST", BLOCK, "http_access deny blocked post");
    assertThat(get("/x").status()).isEqualTo(200);
    assertThat(dns.asked()).isEmpty();
    assertThat(send("POST", "/x", "word").status()).isEqualTo(403);
    assertThat(dns.asked()).containsExactly(ADDRESS);
  }

  @Test
  void matchesNoneIfTheAddressHasNoName() throws Exception {
    startWith("acl nameless dstdomain none", "http_access deny nameless");
    assertThat(get("/x").status()).isEqualTo(403);
    assertThat(dns.asked()).containsExactly(ADDRESS);
  }

  /** The owner of an address chooses its name; one that no host can have is none. */
  @ParameterizedTest
  @ValueSource(strings = {"a b.blocked.test", "a/b.blocked.test", "\u0001.blocked.test"})
  void takesNoNameThatNoHostCanHave(String name) throws Exception {
    named(name);
    startWith(BLOCK, "http_access deny blocked");
    assertThat(get("/x").status()).isEqualTo(200);
  }

  @Test
  void waitsForASilentServerAsLongAsForOthers() throws Exception {
    dns.silent(ADDRESS);
    HeldTime time = new HeldTime();
    String text = configuration("hosts_file none").replace("http_access allow all\n", "");
    proxy =
        ProxyUnderTest.startAsking(
            dns.address(),
            text + BLOCK + "\nhttp_access deny blocked\nhttp_access allow all\n",
            time);
    RawClient client = client().get(origin.url("/x"));
    dns.awaitUnanswered(ADDRESS);
    time.passTimeouts(31_000);
    assertThat(client.response().status()).isEqualTo(200);
  }

  /** As in Squid, the last line of the hosts file with the address counts. */
  @Test
  void takesTheNameOfTheHostsFile() throws Exception {
    Path hosts =
        Files.write(
            dir.resolve("hosts"),
            List.of("127.0.0.1 first.test", "127.0.0.1 www.blocked.test other.test # comment"));
    String text = configuration("hosts_file " + hosts).replace("http_access allow all\n", "");
    proxy =
        ProxyUnderTest.startAsking(
            dns.address(), text + BLOCK + "\nhttp_access deny blocked\nhttp_access allow all\n");
    assertThat(get("/x").status()).isEqualTo(403);
    assertThat(dns.asked()).isEmpty();
  }
}
