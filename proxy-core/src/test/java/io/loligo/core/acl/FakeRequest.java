package io.loligo.core.acl;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.IpText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A request to judge, for tests. Confined to one thread. */
public final class FakeRequest implements AclInput {
  private byte[] client = bytes("192.0.2.1");
  private String method = "GET";
  private String scheme = "http";
  private String host = "example.com";
  private int port = 80;
  private String path = "/";
  private Fields requestFields = new Fields(1);
  private Fields replyFields;
  private int replyStatus;
  private List<byte[]> destinations;
  private int connections = 1;
  private long nowMillis;
  private LoginState login = LoginState.NO_LOGIN;
  private List<ExternalAcl> asked = new ArrayList<>();
  private ExternalAcl.Answer answer = ExternalAcl.Answer.UNDECIDED;
  private String user;
  private Notes notes = Notes.NONE;
  private Notes clientNotes;
  private String clientName;
  private String clientHardware;
  private long connectionMark = UNREAD_MARK;
  private String way = "HIER_NONE";
  private String peer;
  private String page;
  private String urlLogin;
  private String fingerprint;

  /** The bytes of {@code text}, which must be an address. */
  public static byte[] bytes(String text) {
    byte[] bytes = IpText.parse(text);
    if (bytes == null) {
      throw new IllegalArgumentException(text);
    }
    return bytes;
  }

  public FakeRequest client(String address) {
    client = bytes(address);
    return this;
  }

  /** With a user who has logged in. */
  public FakeRequest user(String name) {
    user = name;
    return login(LoginState.KNOWN);
  }

  /** Every helper has answered so. */
  public FakeRequest answer(ExternalAcl.Answer known) {
    answer = known;
    return this;
  }

  @Override
  public ExternalAcl.Answer external(ExternalAcl acl) {
    asked.add(acl);
    return answer;
  }

  /** Notes in {@code acls} each ACL of a helper that is tested. */
  public FakeRequest asking(List<ExternalAcl> acls) {
    asked = acls;
    return this;
  }

  public FakeRequest login(LoginState state) {
    login = state;
    return this;
  }

  @Override
  public LoginState login() {
    return login;
  }

  @Override
  public String user() {
    return user;
  }

  /** Whether the user has two addresses. */
  @Override
  public boolean hasMoreAddresses(int most, boolean strict) {
    return most < 2;
  }

  public FakeRequest client(byte[] address) {
    client = address;
    return this;
  }

  public FakeRequest method(String method) {
    this.method = method;
    return this;
  }

  public FakeRequest target(String scheme, String host, int port, String path) {
    this.scheme = scheme;
    this.host = host;
    this.port = port;
    this.path = path;
    return this;
  }

  public FakeRequest connect(String host, int port) {
    method = "CONNECT";
    return target("", host, port, "");
  }

  public FakeRequest fields(Map<String, String> fields) {
    requestFields = section(fields);
    return this;
  }

  public FakeRequest reply(int status, Map<String, String> fields) {
    replyStatus = status;
    replyFields = section(fields);
    return this;
  }

  public FakeRequest destinations(List<byte[]> addresses) {
    destinations = addresses;
    return this;
  }

  public FakeRequest connections(int connections) {
    this.connections = connections;
    return this;
  }

  public FakeRequest now(long nowMillis) {
    this.nowMillis = nowMillis;
    return this;
  }

  private static Fields section(Map<String, String> fields) {
    StringBuilder text = new StringBuilder();
    Fields section = new Fields(fields.size());
    fields.forEach((name, value) -> text.append(name).append(value));
    section.clear(text.toString().getBytes(StandardCharsets.ISO_8859_1));
    int at = 0;
    for (Map.Entry<String, String> field : fields.entrySet()) {
      int valueStart = at + field.getKey().length();
      int end = valueStart + field.getValue().length();
      section.add(FieldName.of(field.getKey()), at, field.getKey().length(), valueStart, end);
      at = end;
    }
    return section;
  }

  @Override
  public byte[] clientAddress() {
    return client;
  }

  @Override
  public byte[] localAddress() {
    return bytes("192.0.2.99");
  }

  @Override
  public int localPort() {
    return 3128;
  }

  @Override
  public String portName() {
    return "front";
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String scheme() {
    return scheme;
  }

  @Override
  public String host() {
    return host;
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public String url() {
    return method.equals("CONNECT") ? host + ":" + port : scheme + "://" + host + path;
  }

  @Override
  public String urlPath() {
    return path;
  }

  @Override
  public Fields requestFields() {
    return requestFields;
  }

  @Override
  public Fields replyFields() {
    return replyFields;
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

  @Override
  public Notes notes() {
    return notes;
  }

  @Override
  public void notes(Notes replaced) {
    notes = replaced;
  }

  @Override
  public Notes clientNotes() {
    return clientNotes;
  }

  @Override
  public void clientNotes(Notes replaced) {
    clientNotes = replaced;
  }

  /** With a note; several of a name add up. */
  public FakeRequest note(String name, String value) {
    notes = notes.with(name, value);
    return this;
  }

  /** On a connection without notes. */
  public FakeRequest connected() {
    clientNotes = Notes.NONE;
    return this;
  }

  @Override
  public String clientName() {
    return clientName;
  }

  public FakeRequest clientName(String name) {
    clientName = name;
    return this;
  }

  @Override
  public String clientHardware() {
    return clientHardware;
  }

  public FakeRequest clientHardware(String address) {
    clientHardware = address;
    return this;
  }

  @Override
  public long connectionMark() {
    return connectionMark;
  }

  public FakeRequest connectionMark(long mark) {
    connectionMark = mark;
    return this;
  }

  @Override
  public String hierarchyCode() {
    return way;
  }

  @Override
  public String peerName() {
    return peer;
  }

  /** Sent to a peer. */
  public FakeRequest way(String code, String name) {
    way = code;
    peer = name;
    return this;
  }

  @Override
  public String errorPage() {
    return page;
  }

  public FakeRequest errorPage(String name) {
    page = name;
    return this;
  }

  @Override
  public String urlLogin() {
    return urlLogin;
  }

  public FakeRequest urlLogin(String text) {
    urlLogin = text;
    return this;
  }

  @Override
  public String serverFingerprint() {
    return fingerprint;
  }

  public FakeRequest serverFingerprint(String digest) {
    fingerprint = digest;
    return this;
  }
}
