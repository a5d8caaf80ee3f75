/** HTTP/1 syntax without sockets: heads, framing, chunked coding (RFC 9112). */
package io.loligo.core.http1;
