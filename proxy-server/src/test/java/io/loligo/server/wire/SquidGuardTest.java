package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** squidGuard as {@code url_rewrite_program}, beside the same program behind Squid. */
class SquidGuardTest extends WireTest {
  private String squidGuard() throws Exception {
    String program = InstalledProgram.path("squidGuard");
    Path lists = Files.createDirectories(dir.resolve("lists"));
    Files.writeString(lists.resolve("domains"), "blocked.test\n");
    Files.writeString(lists.resolve("urls"), "127.0.0.1/ads\n");
    Path conf =
        Files.writeString(
            dir.resolve("squidGuard.conf"),
            """
            dbhome %1$s
            logdir %1$s
            dest bad {
              domainlist lists/domains
              urllist lists/urls
              redirect 302:http://127.0.0.1:%2$d/blocked?clientaddr=%%a&url=%%u
            }
            dest moved {
              expressionlist lists/expressions
              redirect http://127.0.0.1:%2$d/target
            }
            acl {
              default {
                pass !bad !moved all
                redirect http://127.0.0.1:%2$d/blocked
              }
            }
            """
                .formatted(dir, origin.port()));
    Files.writeString(lists.resolve("expressions"), "/old/\n");
    return program + " -c " + conf;
  }

  private List<String> lines() throws Exception {
    return List.of("url_rewrite_program " + squidGuard(), "url_rewrite_children 2 startup=1");
  }

  private static String shown(WireMessage response) {
    return response.status() + " " + response.field("Location") + " " + response.text();
  }

  @Test
  void decidesAsBehindSquid() throws Exception {
    origin.onOk("/target", "target");
    origin.onOk("/free", "free");
    List<String> urls =
        List.of(
            "http://blocked.test/",
            "http://www.blocked.test/a?b=c",
            origin.url("/ads/banner"),
            origin.url("/free"),
            origin.url("/old/page"));
    startProxy(lines().toArray(String[]::new));
    List<String> own = new ArrayList<>();
    for (String url : urls) {
      own.add(shown(client().get(url).response()));
    }
    assertThat(own)
        .extracting(one -> one.substring(0, 3))
        .containsExactly("302", "302", "302", "200", "200");
    List<String> squidLines = new ArrayList<>(lines());
    squidLines.addAll(List.of("http_access allow all", "cache deny all"));
    int port = ProxyProcess.freePort();
    List<String> theirs = new ArrayList<>();
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), squidLines)) {
      squid.awaitPort(port);
      for (String url : urls) {
        theirs.add(shown(closing(RawClient.connect(port)).get(url).response()));
      }
    }
    assertThat(own).isEqualTo(theirs);
  }

  @Test
  void aWrongConfigurationOfItsDoesNotEndTheProxy() throws Exception {
    String program = InstalledProgram.path("squidGuard");
    Path conf = Files.writeString(dir.resolve("wrong.conf"), "nonsense {\n");
    origin.onOk("/free", "free");
    startProxy("url_rewrite_program " + program + " -c " + conf, "url_rewrite_bypass on");
    assertThat(get("/free").status()).isEqualTo(200);
  }
}
