package io.loligo.server.upstream;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Directives of parents. */
public final class PeerDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Peers");

  /** {@code cache_peer}: the parents, with their rules. */
  public static final Setting<List<Peer>> CACHE_PEER =
      FEATURE
          .lines(
              "cache_peer",
              "HOST parent|sibling|multicast HTTP-PORT ICP-PORT [OPTION...]",
              PeerLines::of)
          .difference(
              "weighted-round-robin takes turns, as Squid does without ICP; multicast-siblings and"
                  + " connection-auth= have no effect; htcp=oldsquid sends no questions, since a"
                  + " reply of that version has no number; an unsafe method causes one CLR for each"
                  + " URL that it makes invalid, not six; a sibling that is to answer from its"
                  + " store and does not in 5 seconds is left for the next hop, and not used for 10"
                  + " seconds; the digest of an originserver, and that of a parent which is the"
                  + " only peer, is not fetched; a question by HTCP has no cookies and credentials;"
                  + " a peer that has answered no query is assumed to need a second; a 403, 407 or"
                  + " 5xx of a sibling goes on to the next peer or the origin; a client's"
                  + " Proxy-Authorization is sent on with login=PASS only, and so is a challenge of"
                  + " a parent; login=PROXYPASS stops the start; with login=NEGOTIATE a request"
                  + " without a token goes to the next peer, or gets 502, and is not sent without"
                  + " credentials; HOST must be a name, and the keytab is read at the start; if a"
                  + " parent refuses CONNECT, the client gets its status (4xx and 5xx; 502 for 401,"
                  + " 426, a 407 without login=PASS, and anything else) with Retry-After and the"
                  + " Allow of a 405 or the challenge of a 407, and nothing else of the parent's"
                  + " response")
          .text(
              "Another proxy, or an origin. A parent gets requests, and fetches. A sibling gets a"
                  + " request only if it has said by ICP-PORT, the UDP port for queries, that it"
                  + " has the response; it is told to answer from its store (only-if-cached). A"
                  + " multicast line is an address for queries; its members have lines of their"
                  + " own. Queries need icp_port. Options: no-query (it gets no queries),"
                  + " background-ping (it gets them every background_ping_rate only), closest-only"
                  + " (a parent that lacks the response is chosen by its time to the origin only,"
                  + " see query_icmp), basetime=MILLISECONDS (subtracted from its response times"
                  + " before they are divided by the weight, when parents that lack the response"
                  + " are compared), allow-miss (a sibling may fetch what it lacks),"
                  + " multicast-responder (it answers queries to a group), ttl=N (the hops that a"
                  + " query to the group may pass, at most 128), default (the last resort: if no"
                  + " peer is up, all are tried), round-robin, weighted-round-robin (turns without"
                  + " weight), carp (peers with it share URLs by Squid's hash; if one is down, only"
                  + " its URLs move), carp-key=PARTS (those that count, with commas: scheme, host,"
                  + " port, path, params; the default is the whole URL), sourcehash (the same by"
                  + " the address of the client), userhash (the same by the name of the user, where"
                  + " one has logged in), weight=N (its share of turns and URLs), originserver (it"
                  + " gets origin-form targets), name=NAME (the default is HOST),"
                  + " login=USER:PASSWORD|PASS|PASSTHRU|NEGOTIATE (percent-encoded once; sent as"
                  + " Authorization to an originserver, else as Proxy-Authorization; with * for"
                  + " USER, the name of the user who has logged in; PASS, PASSTHRU: what the client"
                  + " has sent; NEGOTIATE or NEGOTIATE:PRINCIPAL: a Kerberos token of this proxy"
                  + " for HTTP on HOST, made for each request), auth-no-keytab (with NEGOTIATE: by"
                  + " the ticket cache of the process, KRB5CCNAME, not by a keytab),"
                  + " connect-timeout=SECONDS, connect-fail-limit=N (after so many failures in a"
                  + " row the peer is not used for 10 seconds), max-conn=N (open connections, idle"
                  + " ones included, as in Squid; one of HTTP/2 counts once, with up to 100"
                  + " requests; further requests go to other peers), htcp[=LIST] (HTCP"
                  + " instead of ICP at ICP-PORT, where htcp_port is on: questions, and CLR for"
                  + " each PURGE of a URL and for each URL that an unsafe method makes invalid;"
                  + " only-clr: no questions; no-clr: no CLR; no-purge-clr: none for PURGE;"
                  + " forward-clr: CLR of other neighbours is sent on; oldsquid: CLR has version"
                  + " 0.0, and there are no questions),"
                  + " no-digest (its cache digest is not fetched), digest-url=URL (from there, over"
                  + " http; the default is /squid-internal-periodic/store_digest on the peer),"
                  + " forceddomain=NAME (the Host field that it gets), proxy-only (its responses"
                  + " are not stored), no-delay (delay pools do not hold for it),"
                  + " front-end-https[=on|auto] (it gets Front-End-Https: On; auto: for https URLs"
                  + " only), tls or ssl (connections use TLS, with the options of"
                  + " tls_outgoing_options as tls-OPTION or sslOPTION), tls-domain=NAME (the name"
                  + " in the handshake and in its certificate; the default is HOST), no-http2 (with"
                  + " TLS, only HTTP/1.1 is offered), proxy-protocol=1|2 (Squid does not have it:"
                  + " each connection begins, before TLS, with a header of this version of the"
                  + " PROXY protocol, which gives the client's address and the address that the"
                  + " client connected to. Such a connection serves one request, over HTTP/1.1),"
                  + " monitorurl=URL (the peer is asked for URL again and again, and gets no"
                  + " requests while its responses are bad; /PATH for an originserver, else"
                  + " http://HOST/PATH; this and the following options are those of Squid 2 and"
                  + " ours), monitorinterval=SECONDS (between two checks, 10 % more or less; the"
                  + " default is 300), monitortimeout=SECONDS (for a complete response; the default"
                  + " is 10, or the interval if it is shorter), monitorsize=MIN-MAX (bytes of a"
                  + " good response, at most 1 MB; the default is any size; MIN alone has no upper"
                  + " bound), monitorstatus=LIST (statuses of a good response, such as 200,300-399;"
                  + " the default is 200), monitorfailures=N (bad responses in a row after which"
                  + " the peer is down; the default is 3), monitorpasses=N (good ones after which"
                  + " it is up again; the default is 2), loligo-slow-start=SECONDS (Squid does not"
                  + " have it: a peer with round-robin or weighted-round-robin that was down takes"
                  + " a tenth of its turns at first, and all of them after SECONDS), standby=N (so"
                  + " many idle connections are kept open for requests, divided among the event"
                  + " loops, at most max-conn; none while the peer is down).");

  /** {@code loligo_peer_keytab}; null: the usual one. */
  public static final Setting<@Nullable String> PEER_KEYTAB =
      FEATURE
          .text("loligo_peer_keytab", "")
          .form("PATH")
          .text(
              "The keytab with the key of this proxy, for cache_peer lines with login=NEGOTIATE."
                  + " Without a line it is that of the variable KRB5_KTNAME, or /etc/krb5.keytab,"
                  + " as in Squid.");

  /** {@code cache_peer_access}: the rules of a parent, see {@link Peer#access}. */
  public static final Setting<@Nullable Void> CACHE_PEER_ACCESS =
      FEATURE
          .lines("cache_peer_access", "PEER allow|deny [!]ACL...", PeerLines::accessOf)
          .text("Which requests a cache_peer is used for. Without a line it is used for" + " all.");

  /** {@code neighbor_type_domain}: the kind of a peer for some domains, see {@link Peer#kind}. */
  public static final Setting<@Nullable Void> NEIGHBOR_TYPE_DOMAIN =
      FEATURE
          .lines("neighbor_type_domain", "PEER parent|sibling DOMAIN...", PeerLines::domainsOf)
          .text(
              "A cache_peer is a parent, or a sibling, for URLs of these domains: example.com, or"
                  + " .example.com for the domain and all names below it. For other URLs its line"
                  + " holds. The first domain that matches decides.");

  private PeerDirectives() {}
}
