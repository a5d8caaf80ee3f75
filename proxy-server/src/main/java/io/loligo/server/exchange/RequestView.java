package io.loligo.server.exchange;

import io.loligo.core.acl.Aliases;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Slice;
import io.loligo.server.port.HttpPort;
import io.loligo.server.upstream.route.RoutedRequest;
import io.loligo.store.memory.Entry;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A request as access rules see it. Confined to the client's event loop; the loop's own instance is
 * reused for every request that is answered at once, longer ones have theirs.
 */
final class RequestView implements RoutedRequest {
  private HttpPort port;
  private InetSocketAddress connected;
  private InetSocketAddress local;
  private int connections;
  private RequestHead head;
  private RequestTarget target;
  private Fields reply;
  private int replyStatus;
  private Entry stored;
  private List<byte[]> destinations;
  private byte[] client;
  private long nowMillis;
  private boolean unsliced;

  /** Starts over with this request; all borrowed. */
  RequestView of(ClientStream stream, RequestHead head, RequestTarget target, long nowMillis) {
    this.port = stream.port();
    this.connected = stream.record().client;
    this.local = stream.record().local;
    this.connections = stream.clientConnections();
    this.head = head;
    this.target = target;
    this.nowMillis = nowMillis;
    forgetReply();
    this.destinations = null;
    this.client = null;
    this.unsliced = false;
    return this;
  }

  /** Starts over with a request that nobody sent, of {@code client}. */
  RequestView of(
      HttpPort port,
      InetSocketAddress client,
      RequestHead head,
      RequestTarget target,
      long nowMillis) {
    this.port = port;
    this.connected = client;
    this.local = null;
    this.connections = 1;
    this.head = head;
    this.target = target;
    this.nowMillis = nowMillis;
    return this;
  }

  /** The same request for rules asked later, over snapshots: outlives stream and record. */
  RequestView copy(RequestHead headSnapshot, RequestTarget targetSnapshot) {
    RequestView copy = new RequestView();
    copy.port = port;
    copy.connected = connected;
    copy.local = local;
    copy.connections = connections;
    copy.head = headSnapshot;
    copy.target = targetSnapshot;
    copy.nowMillis = nowMillis;
    copy.destinations = destinations;
    copy.unsliced = unsliced;
    return copy;
  }

  /** The same request, which is not answered in slices, for they were tried. */
  RequestView unsliced() {
    RequestView copy = copy(head, target);
    copy.unsliced = true;
    return copy;
  }

  /** A request for {@code slice}, made at {@code nowMillis} for this one, over snapshots. */
  RequestView ofSlice(RequestHead asked, RequestTarget slice, long nowMillis) {
    RequestView copy = copy(asked, slice);
    copy.nowMillis = nowMillis;
    return copy;
  }

  boolean isUnsliced() {
    return unsliced;
  }

  /** The slice that is asked for; null where it is no request for one. */
  Slice slice() {
    return target.keyRule() instanceof Slice slice ? slice : null;
  }

  /** The connected client, for X-Forwarded-For. */
  InetSocketAddress client() {
    return connected;
  }

  @Override
  public HttpPort httpPort() {
    return port;
  }

  void reply(ResponseHead head) {
    reply(head.fields(), head.status());
  }

  void reply(Fields fields, int status) {
    this.reply = fields;
    this.replyStatus = status;
    this.stored = null;
  }

  /** The reply is {@code entry}, borrowed until {@link #forgetReply}. */
  void reply(Entry entry) {
    reply(null, entry.meta().status());
    this.stored = entry;
  }

  void forgetReply() {
    reply(null, 0);
  }

  @Override
  public void destinations(List<InetAddress> addresses) {
    this.destinations = octets(addresses);
  }

  @Override
  public RequestView withAliases() {
    List<byte[]> all = destinations == null ? List.of() : new ArrayList<>(destinations);
    for (int i = all.size() - 1; i >= 0; i--) {
      all.addAll(Aliases.of(all.get(i)));
    }
    if (destinations == null || all.size() == destinations.size()) {
      return this;
    }
    RequestView further = copy(head, target);
    further.destinations = all;
    return further;
  }

  /** {@link #octets(InetAddress)} of each; null of null. */
  static List<byte[]> octets(List<InetAddress> addresses) {
    return addresses == null ? null : addresses.stream().map(RequestView::octets).toList();
  }

  /** 4 or 16 octets; IPv4-mapped IPv6 as 4. */
  static byte[] octets(InetAddress address) {
    byte[] octets = address.getAddress();
    if (octets.length == 16 && isMapped(octets)) {
      return Arrays.copyOfRange(octets, 12, 16);
    }
    return octets;
  }

  private static boolean isMapped(byte[] octets) {
    for (int i = 0; i < 10; i++) {
      if (octets[i] != 0) {
        return false;
      }
    }
    return octets[10] == (byte) 0xff && octets[11] == (byte) 0xff;
  }

  @Override
  public byte[] clientAddress() {
    if (client == null) {
      client = octets(connected.getAddress());
    }
    return client;
  }

  @Override
  public byte[] localAddress() {
    return local == null ? NetUtil.LOCALHOST4.getAddress() : octets(local.getAddress());
  }

  @Override
  public int localPort() {
    return local == null ? 0 : local.getPort();
  }

  @Override
  public String portName() {
    return port.name();
  }

  @Override
  public String method() {
    return head.method();
  }

  @Override
  public String scheme() {
    return target.scheme();
  }

  @Override
  public String host() {
    return target.host();
  }

  @Override
  public int port() {
    return target.port();
  }

  @Override
  public String url() {
    return target.url();
  }

  @Override
  public String urlPath() {
    return target.form() == RequestTarget.Form.AUTHORITY
        ? ""
        : new String(
            target.pathBytes(),
            target.pathStart(),
            target.pathEnd() - target.pathStart(),
            java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  @Override
  public Fields requestFields() {
    return head.fields();
  }

  @Override
  public Fields replyFields() {
    if (reply == null && stored != null) {
      reply = StoredFields.index(ReplyFields.visible(stored));
    }
    return reply;
  }

  @Override
  public int replyStatus() {
    return replyStatus;
  }

  @Override
  public List<byte[]> destinationAddresses() {
    return destinations;
  }

  @Override
  public int clientConnections() {
    return connections;
  }

  @Override
  public long nowMillis() {
    return nowMillis;
  }
}
