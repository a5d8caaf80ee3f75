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

  /** As access rules see it, before or after its host is resolved. */
  AclInput input(boolean resolved) {
    return new Input(this, resolved);
  }

  static byte[] octets(String address) {
    try {
      return InetAddress.getByName(address).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(address, e);
    }
  }

  private record Input(SampleRequest request, boolean resolved) implements AclInput {
    @Override
    public byte[] clientAddress() {
      return octets(request.client);
    }

    @Override
    public byte[] localAddress() {
      return octets("127.0.0.1");
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
      List<String> lines = request.fieldLines;
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

    @Override
    public Fields replyFields() {
      return null;
    }

    @Override
    public int replyStatus() {
      return 0;
    }

    @Override
    public List<byte[]> destinationAddresses() {
      return resolved ? request.addresses.stream().map(SampleRequest::octets).toList() : null;
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
