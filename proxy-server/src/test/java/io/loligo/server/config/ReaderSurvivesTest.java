package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.Directive;
import io.loligo.core.config.ExaminedConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.check.ConfigCheck;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The reader reports problems for any content of a file. */
class ReaderSurvivesTest {
  @Provide
  Arbitrary<String> words() {
    Arbitrary<String> names =
        Arbitraries.of(Features.directives().all().stream().map(Directive::name).toList());
    Arbitrary<String> parts =
        Arbitraries.of(
            "allow",
            "deny",
            "all",
            "!",
            "!all",
            "a",
            "src",
            "dstdomain",
            "url_regex",
            "time",
            "req_header",
            "-i",
            "+i",
            "-",
            "--",
            "1",
            "-1",
            "99999999999999999999",
            "1.5",
            "KB",
            "seconds",
            "parent",
            "0",
            "10%",
            "name=",
            "name",
            "login=",
            "=",
            "\"",
            "\"x\"",
            "#",
            "# loligo: waive",
            "\\",
            "\n",
            "\n",
            "if",
            "true",
            "else",
            "endif",
            "include",
            "*",
            "[",
            "(",
            "{",
            "10.0.0.0/8",
            "::/0",
            "1-2",
            "/",
            ":",
            "stdio:",
            "none",
            "logformat=",
            "buffer-size",
            "rotate",
            "on-error",
            "%",
            "%{",
            "8080",
            "accel",
            "vport=",
            "ALL,1",
            "parameters(",
            "weight=x",
            "tcpkeepalive",
            "tcpkeepalive=",
            "protocol",
            "max-stale=");
    return Arbitraries.oneOf(names, parts, Arbitraries.strings().ascii().ofMaxLength(6))
        .list()
        .ofMaxSize(40)
        .map(words -> String.join(" ", words));
  }

  /** The value of a directive may be missing, or end early. */
  @Example
  void neverThrowsOnFewWords() {
    for (Directive directive : Features.directives().all()) {
      for (String words : List.of("", " x", " x y", " 1", " x 1 y")) {
        TextSource.load("http_port 1\nacl a src all\n" + directive.name() + words);
      }
    }
  }

  @Property(tries = 1500)
  void neverThrows(@ForAll("words") String text) {
    ConfigResult result = TextSource.load("http_port 1\nacl a src all\n" + text);
    assertThat(result.isUsable()).isEqualTo(result.errors().isEmpty());
    ExaminedConfig examined = TextSource.examine("http_port 1\nacl a src all\n" + text);
    new ConfigCheck("squid.conf", examined, examined.result(), Map.of(), 0).text(true);
  }

  @Property(tries = 1000)
  void neverThrowsOnOneLine(@ForAll("line") List<String> words) {
    TextSource.load("http_port 1\nacl a src all\n" + String.join(" ", words));
  }

  @Provide
  Arbitrary<List<String>> line() {
    Arbitrary<String> first =
        Arbitraries.of(
            "acl x",
            "access_log",
            "logformat x",
            "http_port",
            "cache_peer h parent 1 0",
            "refresh_pattern",
            "cache_peer_access",
            "http_access",
            "reply_body_max_size",
            "debug_options",
            "http_upgrade_request_protocols",
            "include",
            "dns_nameservers",
            "loligo_admin_port",
            "cache_mem",
            "connect_timeout",
            "acl x src",
            "acl x time",
            "access_log stdio:/x",
            "http_port 80",
            "workers",
            "forward_max_tries");
    return first.flatMap(head -> words().map(tail -> List.of(head, tail.replace('\n', ' '))));
  }
}
