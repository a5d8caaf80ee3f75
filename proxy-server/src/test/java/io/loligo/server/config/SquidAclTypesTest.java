package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.server.boot.Features;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every type of ACL that Squid 5.7 registers: a file with it starts, without a warning, in a list
 * that can decide it; or it is refused with advice.
 */
class SquidAclTypesTest {
  private static final String HTTP = "http_access";
  private static final String TUNNEL = "ssl_bump";
  private static final String REFUSED = "refused";

  /** Type, an example of its values, and the list that is asked. */
  private static final String TABLE =
      """
      all-of all | http_access
      any-of all | http_access
      random 1/4 | http_access
      time MTWHF 8:00-18:00 | http_access
      src_as 1241 | refused
      dst_as 1241 | refused
      browser Mozilla | http_access
      dstdomain .example.com | http_access
      dstdom_regex example | http_access
      dst -n 192.0.2.1 | http_access
      hier_code HIER_DIRECT | http_reply_access
      rep_header Server x | http_reply_access
      req_header X-Test x | http_access
      http_status 200-299 | http_reply_access
      maxconn 10 | http_access
      method GET | http_access
      localip 192.0.2.1 | http_access
      localport 3128 | http_access
      myportname front | http_access
      peername parent1 | http_reply_access
      peername_regex ^parent | http_reply_access
      proto HTTP | http_access
      referer_regex example | http_access
      rep_mime_type text/html | http_reply_access
      req_mime_type text/html | http_access
      srcdomain .example.com | http_access
      srcdom_regex example | http_access
      src 192.0.2.1 | http_access
      url_regex example | http_access
      urllogin secret | http_access
      urlpath_regex example | http_access
      port 80 | http_access
      external helper | http_access
      squid_error ERR_DNS_FAIL | http_reply_access
      connections_encrypted | http_access
      note group staff | http_access
      annotate_client x=staff | http_access
      annotate_transaction x+=staff | http_access
      has request | http_access
      transaction_initiator client | http_access
      clientside_mark 0x1 | http_access
      client_connection_mark 0x1/0xff | http_access
      ssl_error X509_V_ERR_CERT_HAS_EXPIRED | ssl_bump
      user_cert CN x | http_access
      ca_cert CN x | http_access
      server_cert_fingerprint AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:00:AA:BB:CC | http_reply_access
      at_step SslBump1 | ssl_bump
      ssl::server_name .example.com | ssl_bump
      ssl::server_name_regex example | ssl_bump
      arp 00:11:22:33:44:55 | http_access
      eui64 00-11-22-ff-fe-33-44-55 | http_access
      ident REQUIRED | refused
      ident_regex x | refused
      ext_user REQUIRED | http_access
      ext_user_regex x | http_access
      tag x | http_access
      adaptation_service scan | http_reply_access
      proxy_auth REQUIRED | http_access
      proxy_auth_regex x | http_access
      max_user_ip 2 | http_access
      """;

  /** Its own tests decide about it. */
  private static final List<String> ELSEWHERE = List.of("snmp_community");

  private record Row(String type, String values, String list) {
    static Row read(String line) {
      String[] parts = line.split(" [|] ", -1);
      String[] words = parts[0].split(" ", 2);
      return new Row(words[0], words.length == 1 ? "" : words[1], parts[1]);
    }
  }

  static List<Row> rows() {
    return TABLE.lines().map(Row::read).toList();
  }

  @Test
  void theTableHasAllTypesOfSquid() {
    List<String> types = new ArrayList<>(rows().stream().map(Row::type).toList());
    types.addAll(ELSEWHERE);
    assertThat(types).doesNotHaveDuplicates().hasSize(61);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void eachTypeIsDecidedOrRefusedWithAdvice(Row row) {
    TextSource files =
        new TextSource()
            .with("/users", "u:$apr1$x$lS5tRV2Xl.9iOZzIJwCqg/\n")
            .with("/proc/net/arp", "IP address\n");
    String tunnel = row.list.equals(TUNNEL) ? "ssl_bump peek x\nssl_bump splice all\n" : "";
    String list = row.list.equals(REFUSED) ? HTTP : row.list.equals(TUNNEL) ? "" : row.list;
    String text =
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth /users\n"
            + "external_acl_type helper %SRC /bin/cat\n"
            + "acl x "
            + (row.type + " " + row.values).strip()
            + "\n"
            + tunnel
            + (list.isEmpty() ? "" : list + " deny x\n")
            + "http_access allow all\n"
            + "http_port 127.0.0.1:0\n";
    ConfigResult result = Features.reader(files).readText("f", text);
    List<String> aboutIt =
        result.problems().stream()
            .filter(problem -> problem.toString().contains(row.type))
            .map(ConfigProblem::toString)
            .toList();
    if (row.list.equals(REFUSED)) {
      assertThat(aboutIt).isNotEmpty().anyMatch(problem -> problem.contains("src"));
    } else {
      assertThat(aboutIt).isEmpty();
      assertThat(result.errors()).isEmpty();
    }
  }
}
