package io.loligo.server.wire.acl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.acl.AclInput;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * A request to judge. Immutable.
 *
 * @param client its address
 * @param localPort the port it connects to
 * @param host without brackets
 * @param path path and query, empty for CONNECT
 * @param fieldLines {@code Name: value}
 * @param addresses those of {@code host}
 */
public record SampleRequest(
    String client,
    int localPort,
    String method,
    String scheme,
    String host,
    int port,
    String path,
    List<String> fieldLines,
    List<String> addresses,
    long nowMillis) {

  /** A GET of {@code http://HOST/} without fields, of a client with a public address. */
  public static SampleRequest get(String host) {
    return new SampleRequest(
        "192.0.2.1", 3128, "GET", "http", host, 80, "/", List.of(), List.of(), 0);
  }

  /** The same to another port of the host. */
  public SampleRequest toPort(int other) {
    return new SampleRequest(
        client, localPort, method, scheme, host, other, path, fieldLines, addresses, nowMillis);
  }

  /** The same by another client. */
  public SampleRequest from(String address) {
    return new SampleRequest(
        address, localPort, method, scheme, host, port, path, fieldLines, addresses, nowMillis);
  }

  /** The same with another method; for CONNECT without a path. */
  public SampleRequest method(String other) {
    String place = other.equals("CONNECT") ? "" : path;
    return new SampleRequest(
        client, localPort, other, scheme, host, port, place, fieldLines, addresses, nowMillis);
  }

  /** The same with these field lines alone. */
  public SampleRequest fields(List<String> lines) {
    return new SampleRequest(
        client, localPort, method, scheme, host, port, path, lines, addresses, nowMillis);
  }

  public boolean isConnect() {
    return method.equals("CONNECT");
  }

  /** Host with brackets where they are needed. */
  public String uriHost() {
    return host.indexOf(':') < 0 ? host : "[" + host + "]";
  }

  /** The target in the request line. */
  public String url() {
    if (isConnect()) {
      return uriHost() + ":" + port;
    }
    boolean usual = port == (scheme.equals("https") ? 443 : 80);
    return scheme + "://" + uriHost() + (usual ? "" : ":" + port) + path;
  }

  /** All values of {@code name} as one list, or null. */
  public String field(String name) {
    List<String> values = new ArrayList<>();
    for (String line : fieldLines) {
      if (line.regionMatches(true, 0, name + ": ", 0, name.length() + 2)) {
        values.add(line.substring(name.length() + 2));
      }
    }
    return values.isEmpty() ? null : String.join(", ", values);
  }

  /** The same at another time. */
  public SampleRequest at(long millis) {
    return new SampleRequest(
        client, localPort, method, scheme, host, port, path, fieldLines, addresses, millis);
  }

  /** As access rules see it, before its host is resolved. */
  public AclInput input() {
    return input(false);
  }

  /** The same, before or after its host is resolved. */
  AclInput input(boolean resolved) {
    return new Input(this, resolved, null);
  }

  /** The same with a response 200 of these field lines. */
  public AclInput answered(List<String> replyLines) {
    return new Input(this, false, replyLines);
  }

  /** The bytes of {@code address}. */
  public static byte[] bytes(String address) {
    try {
      return InetAddress.getByName(address).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(address, e);
    }
  }

  private static Fields section(List<String> lines) {
    Fields fields = new Fields(lines.size());
    fields.clear(String.join("", lines).getBytes(ISO_8859_1));
    int at = 0;
    for (String line : lines) {
      int nameLength = line.indexOf(':');
      int end = at + line.length();
      fields.add(
          FieldName.of(line.substring(0, nameLength)), at, nameLength, at + nameLength + 2, end);
      at = end;
    }
    return fields;
  }

  /** {@code replyLines} is null before the response. */
  private record Input(SampleRequest request, boolean resolved, List<String> replyLines)
      implements AclInput {
    @Override
    public byte[] clientAddress() {
      return bytes(request.client);
    }

    @Override
    public byte[] localAddress() {
      return bytes("127.0.0.1");
    }

    @Override
    public int localPort() {
      return request.localPort;
    }

    @Override
    public String portName() {
      return "front" + request.localPort;
    }

    @Override
    public String method() {
      return request.method;
    }

    @Override
    public String scheme() {
      return request.isConnect() ? "" : request.scheme;
    }

    @Override
    public String host() {
      return request.host;
    }

    @Override
    public int port() {
      return request.port;
    }

    @Override
    public String url() {
      return request.url();
    }

    @Override
    public String urlPath() {
      return request.path;
    }

    @Override
    public Fields requestFields() {
      return section(request.fieldLines);
    }

    @Override
    public Fields replyFields() {
      return replyLines == null ? null : section(replyLines);
    }

    @Override
    public int replyStatus() {
      return replyLines == null ? 0 : 200;
    }

    @Override
    public List<byte[]> destinationAddresses() {
      return resolved ? request.addresses.stream().map(SampleRequest::bytes).toList() : null;
    }

    @Override
    public int clientConnections() {
      return 1;
    }

    @Override
    public long nowMillis() {
      return request.nowMillis;
    }
  }
}
