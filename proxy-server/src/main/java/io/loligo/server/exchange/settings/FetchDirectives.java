package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import io.loligo.core.config.SizeLimits;
import java.util.List;

/** Directives of fetches: collapsed forwarding, ranges, slices and aborts. Immutable. */
public final class FetchDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Fetches");

  /** {@code collapsed_forwarding}: whether clients share a fetch. Default: on. */
  public static final Setting<Boolean> COLLAPSED_FORWARDING =
      FEATURE
          .flag("collapsed_forwarding", "on")
          .squid("off", "waiting clients are released at once if the response cannot be shared")
          .text(
              "on: clients that request the same object while it is fetched share the" + " fetch.");

  /** {@code collapsed_forwarding_access}: which requests may share a fetch. */
  public static final Setting<AclList> COLLAPSED_FORWARDING_ACCESS =
      FEATURE
          .rules("collapsed_forwarding_access", "allow all", RuleScope.REQUEST)
          .text(
              "Which requests may share a fetch with others, where collapsed_forwarding is on. A"
                  + " denied request gets a fetch of its own, which no other request joins.");

  /** {@code loligo_collapsed_wait}, in milliseconds; at least 1. */
  public static final Setting<Long> COLLAPSED_WAIT =
      FEATURE
          .millis("loligo_collapsed_wait", "30 seconds")
          .range(1, Integer.MAX_VALUE)
          .text(
              "How long clients wait for the response head of another client's fetch."
                  + " Then one of them asks the origin, and the others wait once more, or get a"
                  + " stale response where that is allowed. A client that has waited twice in"
                  + " vain gets 504.");

  /**
   * {@code range_offset_limit}, in bytes; 0: ranges are forwarded as they are; -1: the whole
   * response is always fetched.
   */
  public static final Setting<SizeLimits> RANGE_OFFSET_LIMIT =
      FEATURE
          .limits("range_offset_limit", "0 bytes", RuleScope.REQUEST)
          .noLimit()
          .difference("several ranges are passed on as they are")
          .text(
              "If a range begins within this many bytes of the part that is not stored,"
                  + " the whole response is fetched and the range is answered from it. 0: ranges"
                  + " are passed on as they are. none: the whole response is always fetched, to"
                  + " its end, whatever quick_abort says. The first line whose ACLs match holds.");

  /** {@code loligo_slice_size}, in bytes: 64 KB to 1 GB; 0 or -1: no slices. */
  public static final Setting<SizeLimits> SLICE_SIZE =
      FEATURE
          .limits("loligo_slice_size", "none", RuleScope.REQUEST)
          .range(64 << 10, 1 << 30)
          .noLimit("no slices")
          .with(SliceLines::new)
          .text(
              "The size of the slices in which a response is fetched and stored, for a"
                  + " GET of the whole or of one range. 0: no slices. The first line whose ACLs"
                  + " match holds.");

  /** {@code quick_abort_min}, in bytes; -1: every abandoned fetch is finished. */
  public static final Setting<Long> QUICK_ABORT_MIN =
      FEATURE
          .kilobytes("quick_abort_min", "16 KB")
          .noLimit("each is finished")
          .text(
              "After the last client has left, a fetch with this much left, or less, is"
                  + " finished.");

  /** {@code quick_abort_max}, in bytes; -1 acts as 0, as in Squid. */
  public static final Setting<Long> QUICK_ABORT_MAX =
      FEATURE
          .kilobytes("quick_abort_max", "16 KB")
          .noLimit("as 0, as in Squid")
          .text("After the last client has left, a fetch with more than this left is ended.");

  /** {@code quick_abort_pct}, in percent: 0 to 100. */
  public static final Setting<Integer> QUICK_ABORT_PCT =
      FEATURE
          .number("quick_abort_pct", "95")
          .range(0, 100)
          .raised()
          .lowered()
          .text(
              "After the last client has left, a fetch of which more than this is done is"
                  + " finished.");

  /** {@code tcp_outgoing_address}: the addresses that connections come from. */
  static final Setting<List<LocalEndRules.Address>> TCP_OUTGOING_ADDRESS =
      FEATURE
          .lines("tcp_outgoing_address", "ADDRESS [[!]ACL...]", LocalEndLines::addresses)
          .difference("ADDRESS is an address, not a name")
          .text(
              "The address of this machine from which a request is sent to origins and parents, if"
                  + " all ACLs match. The first line holds whose ACLs match and whose ADDRESS has"
                  + " the version of IP of the server's; dst is the address that is connected to."
                  + " Requests share a connection only if they come from the same address. Without"
                  + " a line that holds, the system chooses.");

  /** {@code tcp_outgoing_tos}: the traffic class of packets to origins and parents. */
  static final Setting<List<LocalEndRules.PacketNumber>> TCP_OUTGOING_TOS =
      FEATURE
          .lines("tcp_outgoing_tos", "NUMBER [[!]ACL...]", LocalEndLines::trafficClasses)
          .alias("tcp_outgoing_ds", "tcp_outgoing_dscp")
          .text(
              "The TOS byte (DSCP and ECN) of packets to origins and parents, if all ACLs match:"
                  + " 0 to 255, or 0x00 to 0xFF. The first line whose ACLs match holds.");

  /** {@code clientside_tos}: the traffic class of packets to clients. */
  static final Setting<List<LocalEndRules.PacketNumber>> CLIENTSIDE_TOS =
      FEATURE
          .lines("clientside_tos", "NUMBER [[!]ACL...]", LocalEndLines::clientClasses)
          .difference("0 sets the byte to 0; in Squid it changes nothing")
          .text(
              "The TOS byte (DSCP and ECN) of packets to clients, if all ACLs match a request that"
                  + " http_access allows: 0 to 255, or 0x00 to 0xFF. The first line whose ACLs"
                  + " match holds. The connection keeps the byte until another line matches.");

  /** {@code tcp_outgoing_mark}: netfilter's mark of packets to origins and parents. */
  static final Setting<List<LocalEndRules.PacketNumber>> TCP_OUTGOING_MARK =
      FEATURE
          .lines("tcp_outgoing_mark", "MARK [[!]ACL...]", LocalEndLines::marks)
          .text(
              "Netfilter's mark of packets to origins and parents, if all ACLs match: 0 to"
                  + " 0xFFFFFFFF. The first line whose ACLs match holds. Requests share a"
                  + " connection only if they have the same mark. It needs Linux and"
                  + " CAP_NET_ADMIN; without them the proxy does not start.");

  /** {@code mark_client_packet}: netfilter's mark of packets to clients. */
  static final Setting<List<LocalEndRules.PacketNumber>> MARK_CLIENT_PACKET =
      FEATURE
          .lines("mark_client_packet", "MARK [[!]ACL...]", LocalEndLines::clientMarks)
          .alias("clientside_mark")
          .text(
              "Netfilter's mark of packets to clients, if all ACLs match a request that http_access"
                  + " allows: 0 to 0xFFFFFFFF. The first line whose ACLs match holds. The"
                  + " connection keeps the mark until another line matches. It needs what"
                  + " tcp_outgoing_mark needs.");

  /** {@code qos_flows}: packets of hits and misses. */
  static final Setting<QosFlows> QOS_FLOWS =
      FEATURE
          .lines(
              "qos_flows",
              "[tos|mark] [local-hit=NUMBER] [sibling-hit=NUMBER] [parent-hit=NUMBER]"
                  + " [miss=NUMBER[/MASK]] [disable-preserve-miss]",
              QosFlowLines::new)
          .difference(
              "the byte and the mark of the server are not copied; a response in slices"
                  + " (loligo_slice_size) is a miss")
          .text(
              "tos (or neither word): the TOS byte of packets with responses from the store"
                  + " (local-hit=), of a sibling or parent that has said to have it (sibling-hit=,"
                  + " parent-hit=: log codes SIBLING_HIT and PARENT_HIT; without them as miss=) and"
                  + " with others (miss=), 0 to 0xFF; without a number 0. mark:"
                  + " netfilter's mark, 0 to 0xFFFFFFFF, which needs what tcp_outgoing_mark needs."
                  + " Lines add up. The number is set before each response, in the place of that"
                  + " of clientside_tos and mark_client_packet, and holds for the whole"
                  + " connection; tunnels keep the one that they have.");

  /** {@code loligo_next_peer_on}: the responses after which the next peer is asked. */
  static final Setting<List<NextPeerRule>> NEXT_PEER_ON =
      FEATURE
          .lines(
              "loligo_next_peer_on",
              "STATUS,STATUS-STATUS... [[!]ACL...]",
              LocalEndLines::nextPeers)
          .text(
              "The statuses of responses to a GET or HEAD after which the next cache_peer is asked,"
                  + " or the origin where it may be asked, if all ACLs match. The response of the"
                  + " last one is sent. The first line whose ACLs match holds; if there is none,"
                  + " retry_on_error says which statuses.");

  /** {@code retry_on_error}: whether more statuses are those. */
  static final Setting<Boolean> RETRY_ON_ERROR =
      FEATURE
          .flag("retry_on_error", "off")
          .difference(
              "GET and HEAD only; other addresses of the server that has answered are not asked")
          .text(
              "After which responses to a GET or HEAD the next cache_peer is asked, or the origin"
                  + " where it may be asked. off: 502 and 504. on: also 403, 500, 501 and 503. The"
                  + " response of the last one is sent.");

  /** {@code server_pconn_for_nonretriable}: requests that risk a kept connection. */
  static final Setting<AclList> PCONN_FOR_NONRETRIABLE =
      FEATURE
          .rules("server_pconn_for_nonretriable", "deny all", RuleScope.REQUEST)
          .text(
              "Requests that must not be sent twice, such as POST, but may be sent on a connection"
                  + " that was used before. If the server closes it at that moment, the client"
                  + " gets 502. Other such requests get a connection of their own, or one of"
                  + " HTTP/2 that is known to be alive.");

  /** {@code loligo_resume_fetches}. */
  static final Setting<Integer> RESUME_FETCHES =
      FEATURE
          .number("loligo_resume_fetches", "0")
          .range(0, 100)
          .text(
              "How often the proxy requests the rest of a response whose connection breaks off, and"
                  + " goes on with it, so that clients get one complete response. The response has"
                  + " to be a 200 to a GET with a strong entity tag and a Content-Length; the rest"
                  + " has to have the same tag. With services that adapt responses, none is"
                  + " resumed. 0: the connections of clients are closed.");

  private FetchDirectives() {}
}
