package io.loligo.server.wire;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Nginx, where it is installed, with all it writes in one folder. Stateless. */
final class NginxProcess {
  private static final List<Path> STREAM_MODULE =
      List.of(
          Path.of("/usr/lib/nginx/modules/ngx_stream_module.so"),
          Path.of("/usr/lib64/nginx/modules/ngx_stream_module.so"));

  private NginxProcess() {}

  /** Starts it with one HTTP server of these lines: files of {@code dir/www}. */
  static ProxyProcess http(Path dir, List<String> serverLines) throws IOException {
    StringBuilder block = new StringBuilder("http { access_log " + dir + "/nginx.log;\n");
    for (String kind : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      block.append(kind + "_temp_path " + dir.resolve(kind + "_temp") + ";\n");
    }
    Path www = Files.createDirectories(dir.resolve("www"));
    return start(dir, "", block + server("root " + www + ";", serverLines) + "}\n");
  }

  /** Starts it with one server of these lines that relays bytes. */
  static ProxyProcess stream(Path dir, List<String> serverLines) throws IOException {
    List<Path> module = STREAM_MODULE.stream().filter(Files::exists).toList();
    assumeTrue(!module.isEmpty(), "the stream module of nginx is not installed");
    return start(
        dir,
        "load_module " + module.get(0) + ";\n",
        "stream {\n" + server("", serverLines) + "}\n");
  }

  private static String server(String first, List<String> lines) {
    return "server {\n" + first + "\n" + String.join("\n", lines) + "\n}\n";
  }

  /**
   * @param modules the lines that load modules, which have to come first
   */
  private static ProxyProcess start(Path dir, String modules, String block) throws IOException {
    String nginx = InstalledProgram.path("nginx");
    Path conf =
        Files.writeString(
            dir.resolve("nginx.conf"),
            modules
                + "daemon off; master_process off; worker_processes 1; error_log stderr;\npid "
                + dir
                + "/nginx.pid;\nevents { worker_connections 256; }\n"
                + block);
    return ProxyProcess.start(dir, nginx, "-p", dir.toString(), "-c", conf.toString());
  }
}
