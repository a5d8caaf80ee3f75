package io.loligo.server.exchange.admission;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclType;
import io.loligo.core.acl.Acls;
import io.loligo.core.acl.HardwareAddress;
import io.loligo.core.config.FileDirectives;
import io.loligo.server.exchange.admission.Verdict.WaitFor;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.Stage;
import io.loligo.server.transport.ConnectionTable;
import io.loligo.server.transport.SocketEnds;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the name and the MAC address of the client, and the mark of its connection, as far as
 * rules ask for them. Confined to the event loop; the system's tables are read by another thread.
 */
final class ClientLookUp {
  /** The IPv4 neighbours of this machine, one a line. */
  private static final Path NEIGHBOURS = Path.of("/proc/net/arp");

  private static final int ADDRESS = 0;
  private static final int FLAGS = 2;
  private static final int HARDWARE = 3;
  private static final String UNKNOWN = "0x0";

  private final LoopServices services;
  private final boolean names;
  private final boolean hardware;
  private final boolean later;

  /** Null: no ACL is about marks. */
  private final @Nullable ConnectionMarks marks;

  /** Waits until the facts are known. */
  final Verdict waitForClient = new WaitFor(Stage.ACL, this::ask);

  ClientLookUp(LoopServices services) {
    this.services = services;
    Acls acls = services.settings.config().get(FileDirectives.ACL);
    names = acls.names(AclType.SRCDOMAIN) || acls.names(AclType.SRCDOM_REGEX);
    hardware = acls.names(AclType.ARP);
    marks =
        acls.names(AclType.CLIENTSIDE_MARK) || acls.names(AclType.CLIENT_CONNECTION_MARK)
            ? new ConnectionMarks(
                ConnectionTable.ofSystem(), GlobalEventExecutor.INSTANCE, services.timer.loop())
            : null;
    later = acls.looksUpClientsLater();
  }

  /** Whether a list after {@code http_access} may ask for a fact. */
  boolean isAskedLater() {
    return later;
  }

  /** Whether a list after {@code http_access} asks for a fact that is not known yet. */
  boolean isOwed(Request request) {
    return later
        && ((names && request.clientName() == null)
            || (hardware && request.clientHardware() == null)
            || owesMark(request));
  }

  private boolean owesMark(Request request) {
    return marks != null && request.connectionMark() == AclInput.UNREAD_MARK;
  }

  private void ask(Request request, Consumer<Runnable> then) {
    if (owesMark(request)) {
      findMark(request, then);
      return;
    }
    String address = NetUtil.bytesToIpAddress(request.clientAddress());
    if (!names) {
      findHardware(request, address, then);
      return;
    }
    services.upstream.findName(
        address,
        name -> {
          if (hardware) {
            request.clientName(name);
            findHardware(request, address, then);
          } else {
            then.accept(() -> request.clientName(name));
          }
        });
  }

  /** If the same rules ask for other facts too, the request waits once more. */
  private void findMark(Request request, Consumer<Runnable> then) {
    assert marks != null : "it is owed";
    SocketEnds ends = request.stream().socketEnds();
    if (ends == null) { // the client is gone
      services.timer.loop().execute(() -> then.accept(() -> request.stream().connectionMark(0)));
    } else {
      marks.find(ends, mark -> then.accept(() -> request.stream().connectionMark(mark)));
    }
  }

  private void findHardware(Request request, String address, Consumer<Runnable> then) {
    GlobalEventExecutor.INSTANCE.execute(
        () -> {
          String found = hardware(lines(), address);
          services.timer.loop().execute(() -> then.accept(() -> request.clientHardware(found)));
        });
  }

  private static List<String> lines() {
    try {
      return Files.readAllLines(NEIGHBOURS, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The MAC address of {@code address} in these lines, or the empty string. */
  static String hardware(List<String> lines, String address) {
    for (String line : lines) {
      String[] words = line.strip().split(" +", -1);
      if (words.length > HARDWARE
          && words[ADDRESS].equals(address)
          && !words[FLAGS].equals(UNKNOWN)) {
        String mac = HardwareAddress.mac(words[HARDWARE]);
        return mac == null ? "" : mac;
      }
    }
    return "";
  }
}
