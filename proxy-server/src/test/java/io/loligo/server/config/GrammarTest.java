package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ValueInForce;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.boot.Features;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.upstream.names.NameDirectives;
import io.loligo.server.wire.acl.SampleRequest;
import io.loligo.store.MemoryDirectives;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The grammar as data: a line, or several with {@code ~} between them, and the reader's report.
 * {@code ok}: no report; {@code warning} and {@code error}: the text contains the given words.
 */
class GrammarTest {
  private static ConfigResult load(String lines) {
    return TextSource.load("http_port 3128\n" + lines.replace('~', '\n'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // lines and names
        "   via on                              | ok      |",
        "VIA off                                | error   | names are case-sensitive: write via",
        "frobnicate 1                           | error   | frobnicate",
        "cache_men 64 MB                        | error   | did you mean cache_mem?",
        "# via offx                             | ok      |",
        "via on # comment                       | ok      |",
        "via on #comment                        | ok      |",
        "http_access allow localhost#c          | error   | value: localhost#c",
        "via \\~ on                             | ok      |",
        "via \\~ offx                           | error   | squid.conf:2: ERROR: via",
        "# comment \\~via offx                  | error   | squid.conf:3",
        "via on # comment \\~via offx           | ok      |",
        "via off extra                          | warning | ignored",
        "cache_mem 8 MB MB                      | warning | value: MB",
        "via                                    | error   | expected: on|off",
        "dns_v4_first on                        | warning | obsolete",
        // conditions and macros
        "if true~via offx~else~via on~endif     | error   | offx",
        "if false~via offx~else~via on~endif    | ok      |",
        "if 1 = 1~via offx~endif                | error   | offx",
        "if 1=2~via offx~endif                  | ok      |",
        "if 1~via on~endif                      | error   | if true, if false or if NUMBER ="
            + " NUMBER",
        "if true~if false~via offx~endif~endif  | ok      |",
        "if true~via on                         | error   | endif on a line of its own",
        "endif                                  | error   | an if above it",
        "else                                   | error   | an if above it",
        "acl ${process_name} src 1.1.1.1~http_access allow loligo | ok |",
        "if ${process_number} = 1~via offx~endif | error  | offx",
        // include
        "include /nowhere/*.conf                | error   | no file matches",
        "include /nowhere.conf                  | error   | /nowhere.conf",
        // bytes
        "cache_mem 1.5 GB                       | ok      |",
        "cache_mem 8 mbfoo                      | ok      |",
        "cache_mem 0                            | ok      |",
        "cache_mem 64                           | warning | no unit: taken as bytes",
        "cache_mem 64MB                         | error   | write 64 MB",
        "cache_mem 64 M                         | error   | write 64 MB",
        "cache_mem 64 KiB                       | error   | write 64 KB",
        "cache_mem 64 TB                        | error   | write it in GB",
        "cache_mem 1,5 MB                       | error   | value: 1,5 MB",
        "maximum_object_size none               | ok      |",
        "maximum_object_size -1                 | ok      |",
        "range_offset_limit 10 MB all           | ok      |",
        "range_offset_limit none                | ok      |",
        "range_offset_limit 10 MB localhost     | ok      |",
        "range_offset_limit 10 MB !nobody       | error   | define it above this line",
        "reply_body_max_size 10 MB !localhost   | ok      |",
        "loligo_slice_size 1 MB                 | warning | raise maximum_object_size_in_memory",
        "loligo_slice_size 256 KB               | ok      |",
        "loligo_slice_size 256 KB localhost     | ok      |",
        "loligo_slice_size none                 | ok      |",
        "loligo_slice_size 0                    | ok      |",
        "loligo_slice_size 0 KB !localhost      | ok      |",
        "loligo_slice_size 63 KB                | error   | squid.conf:2",
        "loligo_slice_size 63 KB                | error   | from 65536 to 1073741824 bytes",
        "loligo_slice_size 2 GB                 | error   | from 65536 to 1073741824 bytes",
        "loligo_slice_size 1MB                  | error   | write 1 MB",
        "loligo_slice_size 1 MB nobody          | error   | define it above this line",
        "quick_abort_min 16                     | warning | no unit: taken as KB",
        "quick_abort_min -1 KB                  | ok      |",
        "quick_abort_min -1                     | ok      |",
        "quick_abort_max 0 KB                   | ok      |",
        "quick_abort_max -1 KB                  | ok      |",
        "quick_abort_max none                   | ok      |",
        // times
        "connect_timeout 30                     | error   | add the unit: 30 seconds?",
        "connect_timeout 0                      | ok      |",
        "connect_timeout 30 sec                 | error   | write 30 seconds",
        "connect_timeout 30 s                   | error   | write 30 seconds",
        "connect_timeout 5 min                  | error   | write 5 minutes",
        "connect_timeout 30s                    | error   | write 30 seconds",
        "connect_timeout 1.5 Minutes            | ok      |",
        "connect_timeout 2 fortnights           | ok      |",
        "connect_timeout 1 hours_x              | error   | a unit from",
        "connect_timeout 1 minuteS              | ok      |",
        "connect_timeout 1 secondss             | error   | a unit from",
        "connect_timeout -1 second              | error   | cannot be negative",
        "connect_timeout 10 microseconds        | error   | too small",
        "connect_timeout 500 milliseconds       | ok      |",
        "negative_ttl 500 milliseconds          | error   | too small",
        "negative_ttl                           | error   | give a value",
        "dns_timeout 500 milliseconds           | ok      |",
        // percent and integers
        "quick_abort_pct 95%                    | error   | write 95",
        "cache_swap_low 90%                     | error   | write 90",
        "cache_swap_high 95                     | warning | without effect",
        "forward_max_tries abc                  | error   | an integer",
        "forward_max_tries 1e3                  | error   | an integer",
        "workers 2                              | ok      |",
        // on and off
        "via ON                                 | error   | write on",
        "via yes                                | error   | write on",
        "via true                               | error   | write on",
        "via enable                             | warning | write on",
        "via disable                            | warning | write off",
        // addresses
        "acl a src 1.2.3.4 ::1 fe80::/10        | ok      |",
        "acl a src 10.0.0.0/255.0.0.0           | warning | 10.0.0.0/8",
        "acl a src 10.0.0.1/8                   | warning | masks",
        "acl a src 1.2.3.4-1.2.3.9              | ok      |",
        "acl a src 1.2.3.4-1.2.3.9/32           | ok      |",
        "acl a src 1.2.3.9-1.2.3.4              | error   | reversed",
        "acl a src 0.0.0.0/0                    | warning | taken as all",
        "acl a src all                          | ok      |",
        "acl a src 1.2.3.4/33                   | error   | prefix",
        "acl a src 1.2.3.400                    | error   | 1.2.3.400",
        "acl a src known.test                   | ok      |",
        "acl a src unknown.test                 | error   | does not resolve",
        "acl a src 1.2.3.4#x                    | error   | 1.2.3.4#x",
        // regular expressions
        "acl a url_regex -i ^http://Foo +i bar  | ok      |",
        "acl a browser [[:alpha:]]+             | ok      |",
        "acl a url_regex (                      | error   | Unmatched (",
        "acl a url_regex (a)\\1                 | error   | back-reference",
        "refresh_pattern ( 0 20% 4320           | error   | Unmatched (",
        "refresh_pattern . 0 20% 4320           | ok      |",
        "refresh_pattern . 0 120 4320           | ok      |",
        "refresh_pattern . 0 20% 999999         | warning | taken as 525600",
        "refresh_pattern . 0 20%                | error   | REGEX MIN PERCENT% MAX",
        "refresh_pattern . 0 20% 10 foo         | warning | ignored, as in Squid",
        "refresh_pattern . 0 20% 10 ignore-auth | warning | obsolete",
        "refresh_pattern . 0 20% 10 override-expire | warning | violates HTTP",
        // ACLs and rules
        "acl                                    | error   | NAME TYPE",
        "acl a                                  | error   | NAME TYPE",
        "acl a src                              | warning | matches nothing",
        "acl a frob 1                           | error   | a type of ACL",
        "acl a src 1.2.3.4~acl a dst 1.2.3.4    | error   | type src as in the line above",
        "acl a src 1.2.3.4~acl a src 1.2.3.5    | ok      |",
        "acl a src 1.2.3.4~acl A dst 1.2.3.4    | error   | type src as in the line above",
        "acl Manager proto cache_object         | warning | built in",
        "acl A src all~acl b any-of a~acl a any-of B | error | type src as in the line above",
        "acl A any-of localhost~acl b any-of a~acl a any-of B | error | value: B",
        "acl A rep_mime_type x~http_access allow a | error | asks about the response",
        "acl a src -n 1.2.3.4                   | error   | remove the option",
        "acl a dstdomain -n .example.com        | ok      |",
        "acl a dstdomain *.example.com          | error   | write .example.com",
        "acl a port 1-99999                     | error   | 65535",
        "acl a port 80-                         | error   | 80-",
        "acl a method get PURGE                 | ok      |",
        "acl a proto foo                        | error   | a scheme",
        "acl a time MTWHF 10:00-12:00           | ok      |",
        "acl a time 10:00-9:00                  | error   | within a day",
        "acl a time 22:00-25:00                 | error   | within a day",
        "acl a time 8:00-24:00                  | ok      |",
        "acl a time MON                         | error   | MON",
        "acl a maxconn x                        | error   | one number",
        "acl a maxconn                          | error   | one number",
        "acl a any-of localhost nope            | error   | define it above",
        "acl a any-of localhost manager         | ok      |",
        "acl a any-of localhost~acl b any-of a~acl a any-of b | error | value: b",
        "acl a http_status 200 300-399 400-     | ok      |",
        "acl a src \"/nowhere\"                 | error   | cannot be read",
        "acl a src '/nowhere'                   | error   | value: /nowhere",
        "acl a src ''                           | error   | cannot be read",
        "acl manager proto cache_object         | warning | built in",
        "cachemgr_passwd secret                 | error   | PASSWORD",
        "cachemgr_passwd secret info 5min all   | ok      |",
        "cachemgr_passwd disable Shutdown       | warning | no such page",
        "http_access allow !localhost           | ok      |",
        "http_access allow ! localhost          | error   | no blank after !",
        "http_access permit all                 | error   | allow or deny",
        "http_access allow                      | error   | write allow all",
        "http_access                            | error   | allow or deny",
        "http_access allow later~acl later src all | error | define it above",
        "acl a rep_mime_type x~http_access allow a | error | asks about the response",
        "acl a rep_mime_type x~http_reply_access allow a | ok |",
        // ports
        "http_port 8080 foo                     | error   | an option of http_port",
        "http_port                              | error   | PORT",
        "http_port abc                          | error   | PORT",
        "http_port 99999                        | error   | PORT",
        "http_port [::1]:8080                   | ok      |",
        "http_port 127.0.0.1:8080 accel vport=81 | ok |",
        "http_port 8080 accel vport ignore-cc   | ok      |",
        "http_port 8080 accel vport=0           | error   | vport=PORT from 1",
        "http_port 8080 vport                   | error   | add accel",
        "http_port 8080 ignore-cc               | error   | add accel",
        "http_port 8080 defaultsite=x           | error   | add accel",
        "http_port 8080 protocol=http           | error   | add accel",
        "http_port 8080 accel protocol=gopher   | error   | protocol=http",
        "http_port 3128                         | warning | squid.conf:1",
        "http_port 8080 intercept               | ok      |",
        "http_port 8080 transparent             | ok      |",
        "http_port 8080 tproxy                  | ok      |",
        "http_port 8080 intercept h2c name=x    | ok      |",
        "http_port 8080 intercept accel         | error   | remove one of the two",
        "http_port 8080 accel tproxy            | error   | remove one of the two",
        "http_port 8080 intercept tproxy        | error   | one of intercept and tproxy",
        "http_port 8080 intercept=on            | error   | not in this version",
        "http_port 8080 intercept ignore-cc     | error   | add accel",
        "host_verify_strict on                  | ok      |",
        "host_verify_strict maybe               | error   | on or off",
        "client_dst_passthru off                | ok      |",
        "http_port 8080 ssl-bump                | ok      | ''",
        "http_port 8080 ssl-bump accel          | error   | a port without accel",
        "http_port 8080 ssl-bump h2c            | error   | a port without h2c",
        "http_port 8080 tls-cert=/x             | warning | TLS",
        "http_port 8080 ssl-bump dynamic_cert_mem_cache_size=4MB | ok | ''",
        "http_port 8080 ssl-bump dynamic_cert_mem_cache_size=4x | error | NUMBER",
        "http_port 8080 ssl-bump generate-host-certificates=perhaps | error | =on or =off",
        "https_port 8080 ssl-bump               | error   | tls-cert=FILE",
        "https_port 8080 intercept              | error   | ssl-bump beside it",
        "https_port 8080 intercept ssl-bump     | ok      | ''",
        "ssl_bump splice all                    | ok      | ''",
        "ssl_bump peek all                      | warning | a port with ssl-bump",
        "ssl_bump look all                      | error   | splice, peek, stare",
        "ssl_bump bump nosuch                   | error   | the name of an ACL",
        "ssl_bump server-first all              | warning | an older name",
        "on_unsupported_protocol drop all       | error   | tunnel, respond or terminate",
        "http_port 8080 tcpkeepalive=10,20,30   | ok      |",
        "http_port 8080 tcpkeepalive            | ok      |",
        "http_port 8080 tcpkeepalive=off        | ok      |",
        "http_port 8080 tcpkeepalive=10s        | error   | tcpkeepalive=IDLE",
        "http_port 8080 tcpkeepalive=40000      | error   | up to 32767",
        "http_port 8080 tcpkeepalive=1,1,128    | error   | up to 127 times INTERVAL",
        "http_port 8080 tcpkeepalive=10,0,30    | warning | an INTERVAL beside TIMEOUT",
        // peers
        "cache_peer a parent 80 0 foo=bar       | warning | an option of cache_peer",
        "cache_peer a fnord 80 0                | error   | parent, sibling or multicast",
        "cache_peer a parent 80                 | error   | HTTP-PORT ICP-PORT",
        "cache_peer a parent 80 0~cache_peer a parent 81 0 | error | add name=",
        "cache_peer a sibling 80 3130           | ok      |",
        "cache_peer a multicast 80 3130 ttl=2   | ok      |",
        "cache_peer a sibling 80 0 originserver | error   | parent",
        "icp_port 70000                         | error   | 65535",
        "udp_outgoing_address                   | error   | ADDRESS",
        "cache_peer a parent 80 3130            | ok      |",
        "cache_peer a parent 443 0 tls          | ok      |",
        "cache_peer a parent 443 0 sslcafile=/x | error   | add the word tls",
        "cache_peer a parent 443 0 tls tls-x=1  | error   | an option of cache_peer",
        "cache_peer a parent 443 0 tls tls-flags=X | error | the flag X is not known",
        "tls_outgoing_options flags=DONT_VERIFY_PEER | ok |",
        "tls_outgoing_options x=1               | error   | cafile=FILE",
        "sslproxy_version 3                     | warning | tls_outgoing_options version=3",
        "cache_peer_access b allow all          | error   | cache_peer above",
        "cache_peer a parent 80 0 proxy-only    | ok      |",
        "cache_peer a parent 80 0 proxy-protocol=1 | ok   |",
        "cache_peer a parent 80 0 proxy-protocol=2 | ok   |",
        "cache_peer a parent 80 0 proxy-protocol=3 | error | proxy-protocol=1 or proxy-protocol=2",
        "cache_peer a parent 80 0 proxy-protocol | error  | proxy-protocol=1 or proxy-protocol=2",
        "acl a rep_mime_type x~store_miss deny a | ok     |",
        "acl a http_status 404~send_hit deny a  | ok      |",
        // logs
        "access_log none                        | ok      |",
        "acl a dst 1.2.3.4~acl b any-of a~access_log none b | warning | no address was resolved",
        "access_log foo:/x squid                | error   | stdio:PATH",
        "loligo_slow_log none                   | ok      |",
        "loligo_slow_log 2 seconds miss error stdio:/x | ok |",
        "loligo_slow_log 2 seconds mis stdio:/x | error   | not_modified_hit",
        "loligo_slow_log 2 seconds miss         | error   | MODULE:PLACE",
        "loligo_slow_log 2 parsecs stdio:/x     | error   | millisecond",
        "loligo_slow_log stdio:/x               | error   | TIME UNIT",
        "loligo_slow_log 2 seconds foo:/x       | error   | stdio:PATH",
        "loligo_slow_log 2 seconds stdio:/x logformat=nil | error | loligo_slow",
        "access_log syslog:daemon.info squid    | ok      |",
        "access_log syslog:notice.local7 squid  | ok      |",
        "access_log syslog:                     | ok      |",
        "access_log syslog:deamon.info          | error   | FACILITY.PRIORITY",
        "access_log syslog:daemon.user          | error   | FACILITY.PRIORITY",
        "access_log udp://127.0.0.1:514 squid   | ok      |",
        "access_log udp:[::1]:514 squid         | ok      |",
        "access_log tcp://127.0.0.1:514 squid   | ok      |",
        "access_log tcp://[::1]:514 on-error=die rotate=3 | ok |",
        "access_log tcp://127.0.0.1 squid       | error   | tcp://HOST:PORT",
        "access_log stdio:/x buffer-size=65MB   | error   | at most 64MB",
        "access_log stdio:/x buffer-size=9GB    | error   | at most 64MB",
        "access_log stdio:/x rotate=x           | error   | rotate=NUMBER",
        "access_log stdio:/x on-error=stop      | error   | on-error=die",
        "access_log /x rotate=1~access_log /x   | warning | options of the first line",
        "access_log stdio:/x rotate=1 all~access_log stdio:/x rotate=1 all | ok |",
        "logfile_daemon /usr/lib/squid/log_file_daemon | ok |",
        "logfile_daemon log_db_daemon           | error   | give the path",
        "logfile_daemon /bin/sh -c              | error   | no arguments",
        "access_log udp://127.0.0.1 squid       | error   | udp://HOST:PORT",
        "access_log udp://127.0.0.1:0 squid     | error   | udp://HOST:PORT",
        "loligo_syslog /run/log                 | ok      |",
        "loligo_syslog [::1]:514                | ok      |",
        "loligo_syslog log                      | error   | a path that begins with /",
        "access_log /tmp/x foo                  | error   | value: foo",
        "access_log daemon:/tmp/x foo=bar       | error   | an option of access_log",
        "access_log daemon:/tmp/x logformat=no  | error   | a format defined above",
        "access_log stdio:/x buffer-size=64     | error   | buffer-size=NUMBER",
        "access_log stdio:/x buffer-size=64KB logformat=common all | ok |",
        "logformat a %foo                       | error   | value: %foo",
        "logformat a %>a %{User-Agent}>h %[un   | ok      |",
        "logformat a %ue %et %ea %note %{a}note | ok      |",
        "url_rewrite_program /bin/sh -c x       | ok      |",
        "url_rewrite_program /bin/sh -c \"x y\"   | ok      |",
        "url_rewrite_program /bin/sh -c \"x y    | error   | close each quote",
        "url_rewrite_program                    | error   | PROGRAM",
        "url_rewrite_program sh                 | error   | give the path",
        "redirect_program /no/such/program      | error   | a program that can be started",
        "url_rewrite_children 5                 | ok      |",
        "redirect_children 5 startup=9 idle=0   | ok      |",
        "url_rewrite_children 2 concurrency=10 queue-size=5 on-persistent-overload=ERR | ok |",
        "url_rewrite_children                   | error   | MAX",
        "url_rewrite_children 0                 | error   | a number from 1",
        "url_rewrite_children 5 startup         | error   | an option of",
        "url_rewrite_children 5 max=3           | error   | an option of",
        "url_rewrite_children 5 idle=-1         | error   | a number from 0",
        "url_rewrite_children 5 on-persistent-overload=err | error | die or ERR",
        "url_rewrite_extras \"%>a %un\"          | ok      |",
        "url_rewrite_extras \"%nothing\"         | error   | unknown logformat code",
        "url_rewrite_extras                     | error   | FORMAT",
        "url_rewrite_timeout 5 seconds on_timeout=fail | ok |",
        "url_rewrite_timeout 1 minute on_timeout=use_configured_response response=\"OK"
            + " url=http://a/ b=\" | ok |",
        "url_rewrite_timeout 5 seconds          | error   | on_timeout=",
        "url_rewrite_timeout 5 on_timeout=fail  | error   | on_timeout=",
        "url_rewrite_timeout 0 seconds on_timeout=fail | error | on_timeout=",
        "url_rewrite_timeout 5 seconds on_timeout=ignore | error | on_timeout=",
        "url_rewrite_timeout 5 seconds on_timeout=use_configured_response | error | response=",
        "url_rewrite_timeout 5 seconds on_timeout=fail response=OK | error | response=",
        "loligo_helper_timeout 30 seconds       | ok      |",
        "external_acl_type a ttl=60 negative_ttl=0 grace=20 cache=10 children-max=2 %SRC %{A}"
            + " /bin/a -x | ok |",
        "external_acl_type a children=2 concurrency=5 protocol=2.5 ipv4 %URI %DATA %ACL %% /bin/a |"
            + " ok |",
        "external_acl_type a %USER_CERT %USER_CERTCHAIN %USER_CERT_CN %CA_CERT_O %>rm %#>ha{B}"
            + " /bin/a | ok |",
        "external_acl_type a %SRC /x/ext_ldap_group_acl -b dc=a -f cn=%g | ok |",
        "external_acl_type a %SRC /x/ext_ldap_group_acl -b dc=a -f cn=%s | error | %u for the user",
        "external_acl_type a %SRC /x/ext_ldap_group_acl -b dc=a -f cn=%g -d | warning | -d has no",
        "auth_param basic program /x/basic_ldap_auth -b dc=a -v 2 | error | remove the option",
        "auth_param basic program /x/basic_ldap_auth -b dc=a -f \"(u=%s)\" -h a b | ok |",
        "external_acl_type a /bin/a             | error   | %CODE",
        "external_acl_type a %SRC               | error   | %CODE",
        "external_acl_type a ttl=x %SRC /bin/a  | error   | %CODE",
        "external_acl_type a grace=101 %SRC /bin/a | error | %CODE",
        "external_acl_type a %NOSUCH /bin/a     | error   | unknown logformat code",
        "external_acl_type a %SRC /no/a         | error   | a program that can be started",
        "external_acl_type a %LOGIN /bin/a      | ok      |",
        "external_acl_type a %LOGIN /bin/a~acl b external a | error | no auth_param",
        "external_acl_type a %SRC /bin/a~acl b external a x y | ok |",
        "external_acl_type a %SRC /bin/a~acl b external a~acl b external a | error | one line",
        "acl b external a                       | error   | the name of an external_acl_type",
        "external_acl_type a %SRC /bin/a~acl b external a~follow_x_forwarded_for deny b | error |"
            + " before the client is known",
        "external_acl_type a %SRC /bin/a~acl b external a~follow_x_forwarded_for allow b"
            + " | warning | the line never matches",
        "logformat a %ui                        | warning | prints a dash",
        "logformat a                            | error   | NAME FORMAT",
        "logformat a %5000>a                    | error   | value: %5000>a",
        "logformat a x%byte{0}                  | error   | value: %byte{0}",
        "logformat a %ui %ue %oa                | warning | prints a dash",
        "logformat a %oa                        | ok      |",
        "logformat squid %ts                    | warning | built in",
        "logformat a %ts~logformat a %rm        | error   | a name not taken",
        "positive_dns_ttl 0 seconds             | ok      |",
        "client_netmask 255.255.255.0           | ok      |",
        "client_netmask 24                      | error   | an IPv4 mask",
        "sslproxy_cert_error deny all           | ok      |",
        "sslproxy_cert_error allow all          | ok      |",
        "sslproxy_cert_error allow ssl::certHasExpired | ok |",
        "acl a ssl_error X509_V_ERR_CERT_REVOKED~sslproxy_cert_error allow a | ok |",
        "acl a ssl_error EXPIRED                | error   | X509_V_ERR",
        "http_access deny ssl::certHasExpired   | error   | it asks about a handshake",
        "http_port 3131 ssl-bump~ssl_bump terminate ssl::certUntrusted | ok |",
        "https_port 3131 ssl-bump~ssl_bump peek all | error | tls-cert=FILE",
        "https_port 3131 ssl-bump tls-cert=/a~ssl_bump peek all | ok |",
        "https_port 3131 ssl-bump tls-cert=/a~ssl_bump bump all | error | tls-cert=FILE of the"
            + " port",
        "https_port 3131 ssl-bump tls-cert=/a tls-cert=/b~ssl_bump bump all | ok |",
        "spoof_client_ip deny all               | ok      |",
        "acl a http_status 200~spoof_client_ip deny a | error | it asks about the response",
        "sslproxy_cert_sign signTrusted ssl::certUntrusted | ok |",
        "sslproxy_cert_sign signFoo all         | error   | signTrusted, signUntrusted or signSelf",
        "sslproxy_cert_sign                     | error   | signTrusted, signUntrusted or signSelf",
        "sslproxy_cert_sign signSelf nobody     | error   | the name of an ACL",
        "sslproxy_cert_adapt setValidAfter ssl::certHasExpired | ok |",
        "sslproxy_cert_adapt setCommonName{a.test} all | ok |",
        "sslproxy_cert_adapt setCommonName{a.test all | error | setCommonName[{NAME}]",
        "sslproxy_cert_adapt setCommonName{} all | error  | setCommonName[{NAME}]",
        "sslproxy_cert_adapt setValidAfter{a} all | error | setCommonName[{NAME}]",
        "sslproxy_cert_adapt setFoo all         | error   | setCommonName[{NAME}]",
        "on_unsupported_protocol tunnel ssl::certUntrusted | error | it asks about a handshake",
        "icap_enable off~icap_service a reqmod_precache icap://h/a | warning | ICAP is off",
        "icap_enable off~adaptation_access a allow all | warning | ICAP is off",
        "icap_preview_size -2 | error   | icap_preview_size",
        // others
        "forwarded_for foo                      | error   | on, off, transparent",
        "dns_nameservers foo                    | warning | ignored, as in Squid",
        "dns_nameservers 9.9.9.9 ::1            | ok      |",
        "visible_hostname                       | error   | give a value",
        "debug_options foo                      | warning | ALL,LEVEL",
        "debug_options rotate=1 ALL,2           | warning | rotate=1",
        "request_header_max_size 65536          | warning | taken as bytes",
        "reply_header_max_size 65536            | warning | taken as bytes",
        "read_timeout 15m                       | error   | write 15 minutes",
        "read_timeout 900seconds                | error   | write 900 seconds",
        "http_port 3129                         | warning | it is 127.0.0.1:3130",
        "http_port 3129~loligo_admin_port off   | ok      |",
        "read_ahead_gap 64                      | warning | taken as bytes",
        // disk
        "cache_dir ufs /x 100 16 256            | ok      |",
        "cache_dir aufs /x 100 16 256 no-store  | ok      |",
        "cache_dir diskd /x 100 16 256 Q1=64 Q2=72 | warning | there is no diskd program",
        "cache_dir ufs /x 100 16 256 IOEngine=Mmapped | warning | loligo_disk_threads",
        "cache_dir rock /x 100                  | ok      |",
        "cache_dir rock /x 100 max-size=32768 min-size=0 | ok |",
        "cache_dir rock /x 100 slot-size=16384  | warning | packed without slots",
        "cache_dir rock /x 100 max-swap-rate=100 | warning | loligo_disk_write_queue",
        "cache_dir rock /x 100 swap-timeout=300 | ok      |",
        "cache_dir rock /x 100 swap-timeout=x   | error   | swap-timeout=NUMBER",
        "cache_dir ufs /x 100 16 256 swap-timeout=300 | error | an option of cache_dir ufs",
        "cache_dir rock /x 100 16 256           | error   | value: 16 (expected: an option",
        "cache_dir rock /x 100 foo=1            | error   | an option of cache_dir",
        "cache_dir null                         | ok      |",
        "cache_dir null /tmp                    | ok      |",
        "cache_dir null~cache_dir rock /x 100   | warning | beside another cache_dir",
        "cache_dir coss /c 900 block-size=512   | error   | write cache_dir rock /c 900",
        "cache_dir coss                         | error   | write cache_dir rock PATH MBYTES",
        "cache_dir                              | error   | ufs, aufs, diskd, rock or null",
        "cache_dir UFS /x 100 16 256            | error   | ufs, aufs, diskd, rock or null",
        "cache_dir ufs                          | error   | ufs PATH MBYTES L1 L2",
        "cache_dir ufs /x 100                   | error   | read and ignored, or write rock",
        "cache_dir ufs /x 100 16                | error   | ufs PATH MBYTES L1 L2",
        "cache_dir ufs /x 100 0 256             | error   | numbers from 1",
        "cache_dir ufs /x 100 16 min-size=1     | error   | numbers from 1",
        "cache_dir rock /x                      | error   | rock PATH MBYTES",
        "cache_dir rock /x 0                    | error   | at least 1",
        "cache_dir rock /x -1                   | error   | at least 1",
        "cache_dir rock /x 1G                   | error   | write 1024",
        "cache_dir rock /x 100MB                | error   | write 100",
        "cache_dir rock /x 100 max-size=1MB     | error   | max-size=BYTES",
        "cache_dir rock /x 100 min-size         | error   | min-size=BYTES",
        "cache_dir rock /x 100 min-size=2 max-size=1 | error | nothing would be stored",
        "cache_dir rock /x 100 no-store=2       | error   | no-store",
        "cache_dir rock /x 100~cache_dir ufs /x/ 9 1 1 | error | it stands at squid.conf:2",
        "cache_dir rock ./x 1~cache_dir rock x 1 | error  | a folder not listed yet",
        "cache_dir rock /a//b/./c 1~cache_dir rock /a/b/c 1 | error | a folder not listed yet",
        "loligo_disk_threads 9                  | error   | from 2 to 8",
        "loligo_disk_write_queue 1 KB           | error   | from 1048576",
        "store_dir_select_algorithm round-robin | warning | greatest share of free space",
        "cache_replacement_policy heap GDSF     | warning | admission and eviction have their own"
            + " policy",
        "memory_replacement_policy heap LFUDA   | warning | admission and eviction have their own"
            + " policy",
        "memory_cache_mode disk                 | warning | the number of requests for a response",
        "http_upgrade_request_protocols OTHER foo all | error | allow or deny",
        "loligo_admin_port foo                  | error   | PORT",
        "loligo_event_loops 2                   | ok      |",
      })
  void says(String lines, String verdict, String words) {
    ConfigResult result =
        Features.reader(new TextSource().host("known.test", new byte[] {1, 2, 3, 4}))
            .readText("squid.conf", "http_port 3128\n" + lines.replace('~', '\n'));
    String text = String.join("\n", result.problems().stream().map(ConfigProblem::text).toList());
    switch (verdict) {
      case "ok" -> assertThat(text).isEmpty();
      case "warning" -> assertThat(text).contains(": WARNING: ", words).doesNotContain("ERROR");
      default -> assertThat(text).contains(": ERROR: ", words);
    }
    assertThat(result.isUsable()).isEqualTo(!verdict.equals("error"));
  }

  @Test
  void reportsEveryProblemAtOnce() {
    ConfigResult result = load("via ON~frob~cache_mem 64MB~acl a src x/y~http_access permit all");
    assertThat(result.errors()).extracting(ConfigProblem::line).containsExactly(2, 3, 4, 5, 6);
    assertThat(result.config()).isNull();
  }

  @Test
  void namesFileLineValueAndExpectedForm() {
    assertThat(load("~~connect_timeout 30 sec").errors().get(0).text())
        .isEqualTo(
            "squid.conf:4: ERROR: connect_timeout: value: 30 sec (expected: a number, a blank and a"
                + " unit from millisecond to decade): write 30 seconds");
  }

  @Test
  void needsAPort() {
    assertThat(TextSource.load("http_access allow all").errors().get(0).text())
        .contains("http_port", "add: http_port 3128");
  }

  @Test
  void includesSixteenLevelsAndNoMore() {
    TextSource files = new TextSource();
    for (int i = 1; i < 17; i++) {
      files.with("/" + i, "include /" + (i + 1) + "\n");
    }
    files.with("/16", "via off\n");
    ConfigResult fine = Features.reader(files).readText("/0", "http_port 1\ninclude /1\n");
    assertThat(fine.config().get(IdentityDirectives.VIA)).isFalse();
    files.with("/16", "include /17\n").with("/17", "via off\n");
    ConfigResult deep = Features.reader(files).readText("/0", "http_port 1\ninclude /1\n");
    assertThat(deep.errors().get(0).text()).startsWith("/16:1: ERROR: include");
  }

  @Test
  void includesAPatternInOrderAndSeveralNames() {
    TextSource files =
        new TextSource()
            .with("/d/1.conf", "cache_mem 1 MB\n")
            .with("/d/2.conf", "cache_mem 2 MB\n")
            .with("/e", "via off\n");
    ConfigResult result =
        Features.reader(files).readText("/0", "http_port 1\ninclude /d/*.conf /e\n");
    assertThat(result.config().get(MemoryDirectives.CACHE_MEM)).isEqualTo(2 << 20);
    assertThat(result.config().get(IdentityDirectives.VIA)).isFalse();
  }

  @Test
  void readsAclValuesFromAFile() {
    TextSource files =
        new TextSource().with("/l", "# a list\n\n .example.com # comment\r\nother.org\n");
    ConfigResult result =
        Features.reader(files)
            .readText("/0", "http_port 1\nacl a dstdomain \"/l\"\nhttp_access deny a\n");
    assertThat(result.problems()).isEmpty();
    files.with("/l", "fine.org\n*.bad.org\n");
    ConfigResult bad =
        Features.reader(files).readText("/0", "http_port 1\nacl a dstdomain \"/l\"\n");
    assertThat(bad.errors().get(0).text()).startsWith("/0:2: ERROR: acl").contains("in /l:2");
  }

  @Test
  void aUrlInAFileOfDomainsMatchesNothing() {
    TextSource files = new TextSource().with("/l", "www.bad.org/x\"\nfine.org\n");
    String lines = "http_port 1\nacl a dstdomain \"/l\"\nhttp_access allow a\n";
    ConfigResult result = Features.reader(files).readText("/0", lines);
    assertThat(result.problems()).hasSize(1);
    assertThat(result.problems().get(0).text())
        .startsWith("/0:2: WARNING: acl: value: www.bad.org/x")
        .contains("matches nothing, as in Squid, in /l:1");
    AclList access = result.config().get(AccessDirectives.HTTP_ACCESS);
    assertThat(allows(access, "www.bad.org")).isFalse();
    assertThat(allows(access, "fine.org")).isTrue();
    String inline = "http_port 1\nacl a dstdomain www.bad.org/x\n";
    assertThat(Features.reader(files).readText("/0", inline).errors()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"/a b\"", "'/a b'", "'/a b\"", "\"/a b'x", "'/c", "\"/c"})
  void eitherQuoteOpensAFileOfValues(String word) {
    TextSource files = new TextSource().with("/a b", ".bad.org\n").with("/c", ".bad.org\n");
    for (String type : List.of("dstdomain ", "dstdom_regex ", "dstdom_regex -i ")) {
      ConfigResult result =
          Features.reader(files)
              .readText(
                  "/0", "http_port 1\nacl a " + type + word + " fine.org\nhttp_access allow a\n");
      assertThat(result.problems()).isEmpty();
      AclList access = result.config().get(AccessDirectives.HTTP_ACCESS);
      assertThat(allows(access, "www.bad.org")).isTrue();
      assertThat(allows(access, "fine.org")).isTrue();
      assertThat(allows(access, "a.test")).isFalse();
    }
  }

  @Test
  void whereQuotesAreSwitchedOnAQuotedValueIsNoFile() {
    TextSource files = new TextSource().with("/a b", ".bad.org\n");
    ConfigResult result =
        Features.reader(files)
            .readText(
                "/0",
                """
                http_port 1
                configuration_includes_quoted_values on
                acl a dstdomain "fine.org" 'x.test' parameters("/a b")
                http_access allow a
                """);
    AclList access = result.config().get(AccessDirectives.HTTP_ACCESS);
    assertThat(allows(access, "fine.org")).isTrue();
    assertThat(allows(access, "x.test")).isTrue();
    assertThat(allows(access, "www.bad.org")).isTrue();
    assertThat(allows(access, "a.test")).isFalse();
  }

  @Test
  void namesOfAclsAreTheSameInAnyCase() {
    AclList access =
        load("acl Good dstdomain a.com~acl GOOD dstdomain b.com~http_access allow !connect good")
            .config()
            .get(AccessDirectives.HTTP_ACCESS);
    assertThat(allows(access, "a.com")).isTrue();
    assertThat(allows(access, "b.com")).isTrue();
    assertThat(allows(access, "c.com")).isFalse();
    assertThat(
            access
                .evaluate(SampleRequest.get("a.com").toPort(443).method("CONNECT").input())
                .allowed())
        .isFalse();
  }

  private static boolean matches(String lines, TextSource files, AclInput request) {
    ConfigResult result =
        Features.reader(files)
            .readText("/0", "http_port 1\n" + lines + "\nhttp_reply_access allow a\n");
    assertThat(result.problems()).isEmpty();
    return result.config().get(AccessDirectives.HTTP_REPLY_ACCESS).evaluate(request).allowed();
  }

  @Test
  void aLineOfAFileOfExpressionsIsOneOfThem() {
    TextSource files =
        new TextSource()
            .with("/f", "# all\nfoo bar\t# comment\n  x  y  #z\n")
            .with("/g", "X-Foo\nfoo bar\t# comment\n");
    List<String> fields =
        List.of("X-Foo: foo bar", "Content-Type: foo bar", "User-Agent: a foo bar");
    List<String> others = List.of("X-Foo: bar", "Content-Type: foo", "User-Agent: foo");
    SampleRequest get = SampleRequest.get("example.com");
    for (String type :
        List.of(
            "req_header X-Foo \"/f\"",
            "req_header \"/g\"",
            "rep_header X-Foo \"/f\"",
            "req_mime_type \"/f\"",
            "rep_mime_type \"/f\"",
            "browser \"/f\"")) {
      AclInput request = get.fields(fields).answered(fields);
      assertThat(matches("acl a " + type, files, request)).as(type).isTrue();
      AclInput other = get.fields(others).answered(others);
      assertThat(matches("acl a " + type, files, other)).as(type).isFalse();
    }
  }

  @Test
  void aBlankBehindABackslashIsPartOfAnExpression() {
    TextSource none = new TextSource();
    SampleRequest get = SampleRequest.get("example.com");
    for (String lines :
        List.of(
            "acl a browser foo\\ bar",
            "acl a browser -i FOO\\ b\\.?ar # \\ c",
            "acl a req_header User-Agent ^a\\ foo\\ bar$")) {
      AclInput request = get.fields(List.of("User-Agent: a foo bar")).input();
      assertThat(matches(lines, none, request)).as(lines).isTrue();
      AclInput other = get.fields(List.of("User-Agent: foo, bar, a")).input();
      assertThat(matches(lines, none, other)).as(lines).isFalse();
    }
    assertThat(load("refresh_pattern /a\\ b$ 0 20% 4320").problems()).isEmpty();
  }

  @Test
  void commentsAndEmptyLinesDoNotEndAContinuedLine() {
    String lines =
        """
        acl bad dstdomain .a.com \\
          # .b.com \\

        # .d.com
          .c.com
        http_access deny bad
        http_access allow all
        """;
    for (String text : List.of(lines, lines.replace("\n", "\r\n"))) {
      AclList access = load(text).config().get(AccessDirectives.HTTP_ACCESS);
      assertThat(allows(access, "a.com")).isFalse();
      assertThat(allows(access, "b.com")).isTrue();
      assertThat(allows(access, "c.com")).isFalse();
    }
    assertThat(load("acl bad src 1.1.1.1 \\~# \\~\\~ x.y~via offx").errors())
        .extracting(ConfigProblem::line)
        .containsExactly(2, 6);
    assertThat(load("ecap_enable \\~# loligo: waive~on").isUsable()).isTrue();
    assertThat(load("ecap_enable \\~# loligo: waive~on~ecap_enable on").isUsable()).isFalse();
  }

  private static boolean allows(AclList access, String host) {
    return access.evaluate(SampleRequest.get(host).input()).allowed();
  }

  @Test
  void quotesJoinWordsOnlyWhereSwitchedOn() {
    assertThat(load("visible_hostname \"a").config().get(IdentityDirectives.VISIBLE_HOSTNAME))
        .isEqualTo("\"a");
    assertThat(
            load("configuration_includes_quoted_values on~visible_hostname \"a b\"")
                .config()
                .get(IdentityDirectives.VISIBLE_HOSTNAME))
        .isEqualTo("a b");
  }

  @Test
  void theLastLineOfASingleValueHolds() {
    ConfigResult result = load("cache_mem 1 MB~cache_mem 2 MB");
    assertThat(result.config().get(MemoryDirectives.CACHE_MEM)).isEqualTo(2 << 20);
    assertThat(result.config().inForce())
        .filteredOn(setting -> setting.directive().equals("cache_mem"))
        .extracting(ValueInForce::value, ValueInForce::source)
        .containsExactly(tuple("2 MB", "squid.conf:3"));
  }

  @Test
  void linesOfNameserversAddUp() {
    ProxyConfig config = load("dns_nameservers 9.9.9.9 ::1~dns_nameservers 8.8.8.8").config();
    assertThat(config.get(NameDirectives.DNS_NAMESERVERS))
        .containsExactly("9.9.9.9", "::1", "8.8.8.8");
    assertThat(config.inForce())
        .filteredOn(setting -> setting.directive().equals("dns_nameservers"))
        .extracting(ValueInForce::value)
        .containsExactly("9.9.9.9 ::1", "8.8.8.8");
  }

  @Test
  void aBuiltInFormatCannotBeRedefined() {
    ProxyConfig config = load("logformat combined %rm~access_log /x combined").config();
    assertThat(config.get(LogDirectives.LOGFORMAT).get("combined")).startsWith("%>a ");
  }

  @Test
  void addressesAreRememberedForASecondAtLeast() {
    assertThat(load("positive_dns_ttl 0 seconds").config().get(NameDirectives.POSITIVE_DNS_TTL))
        .isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"carp-key=host", "carp carp-key=hosts", "carp carp-key="})
  void theKeyOfCarpHasPartsThatSquidKnows(String options) {
    assertThat(load("cache_peer a parent 80 0 no-query " + options).isUsable()).isFalse();
    assertThat(load("cache_peer a parent 80 0 no-query carp carp-key=host,path").errors())
        .isEmpty();
  }

  @Test
  void userhashNeedsUsers() {
    ConfigResult result = load("cache_peer a parent 80 0 no-query userhash");
    assertThat(result.isUsable()).isTrue();
    assertThat(result.warnings()).anyMatch(warning -> warning.text().contains("auth_param"));
  }

  @Test
  void knowsEveryNameOfSquid() throws IOException {
    try (InputStream names = getClass().getResourceAsStream("squid-names.txt")) {
      List<String> unknown =
          new String(names.readAllBytes(), StandardCharsets.US_ASCII)
              .lines()
              .filter(name -> Features.directives().named(name) == null)
              .toList();
      assertThat(unknown).isEmpty();
    }
  }
}
