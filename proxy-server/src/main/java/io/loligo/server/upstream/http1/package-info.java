/** HTTP/1.x spoken to origins and parents on one connection. */
package io.loligo.server.upstream.http1;
