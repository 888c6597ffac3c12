// SPDX-License-Identifier: BSD-3-Clause
/// Connections: made at first use, broken when UCX says so; and what is sent on them as messages.
#include <string.h>

#include <new>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

constexpr uint64_t kCloseNs = 1'000'000'000;

}  // namespace

bool Channel::start(Ucx* owner, int number) {
  owner_ = owner;
  index_ = number;
  Library& library = owner->library_;
  if (!library.has_threads()) lock_ = library.lock();
  const auto places = static_cast<size_t>(owner->num_ecs_ * owner->inlets_max_);
  links_ = base::make_sparse<Link*>(places);
  buffers_.reset(new (std::nothrow) Buffer[kBuffers]);
  operations_.reset(new (std::nothrow) Operation[kOperations]);
  if (!links_ || !buffers_ || !operations_) return false;
  for (size_t i = 0; i < kBuffers; ++i) {
    buffers_[i].next = free_buffers_;
    free_buffers_ = &buffers_[i];
  }
  for (size_t i = 0; i < kOperations; ++i) {
    operations_[i].next = free_operations_;
    free_operations_ = &operations_[i];
  }
  const std::lock_guard guard(*lock_);
  ucp_worker_params_t parameters = {};
  parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  parameters.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucs_status_t status = ucp_worker_create(library.context(), &parameters, &worker_);
  if (status != UCS_OK) {
    worker_ = nullptr;
    base::log_line(base::LogLevel::kError, "UCX makes no worker: %s", ucs_status_string(status));
    return false;
  }
  if (ucp_worker_get_efd(worker_, &fd_) != UCS_OK) fd_ = -1;
  ucp_am_handler_param_t handler = {};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                       UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kMessageId;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.cb = on_message;
  handler.arg = this;
  if (ucp_worker_set_am_recv_handler(worker_, &handler) != UCS_OK) return false;
  is_open_.store(true, std::memory_order_release);
  return true;
}

void Channel::stop() {
  if (!worker_) return;
  const std::lock_guard guard(*lock_);
  const auto places = static_cast<size_t>(owner_->num_ecs_ * owner_->inlets_max_);
  for (size_t i = 0; i < places; ++i) {
    Link* link = links_[i];
    if (!link || !link->ep) continue;
    if (link->statics_key) ucp_rkey_destroy(link->statics_key);
    for (ucp_rkey_h key : link->heap_keys)
      if (key) ucp_rkey_destroy(key);
    ucp_request_param_t parameters = {};
    parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    parameters.flags = owner_->library_.has_failures() ? UCP_EP_CLOSE_FLAG_FORCE : 0;
    wait(ucp_ep_close_nbx(link->ep, &parameters), base::now_ns() + kCloseNs);
  }
  // It may still call back with the links.
  ucp_worker_destroy(worker_);
  worker_ = nullptr;
  free_answers();
  free_batches();
  for (size_t i = 0; i < places; ++i) delete links_[i];
}

Link* Channel::link_to(int ec, PeerState& peer, int worker) {
  Link*& place = links_[static_cast<size_t>(ec * owner_->inlets_max_ + worker)];
  if (place) [[likely]]
    return place;
  auto link = std::unique_ptr<Link>(new (std::nothrow) Link{.home = this, .peer = &peer, .ec = ec});
  if (!link) return nullptr;
  ucp_ep_params_t parameters = {};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address = reinterpret_cast<const ucp_address_t*>(peer.address.worker(worker).bytes);
  parameters.err_mode =
      owner_->library_.has_failures() ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE;
  parameters.err_handler.arg = link.get();
  parameters.err_handler.cb = [](void* self, ucp_ep_h, ucs_status_t status) {
    auto* broken = static_cast<Link*>(self);
    broken->error = status;
    broken->home->owner_->note_failure(*broken->peer, status);
    broken->home->end_asked(*broken, status);
  };
  const ucs_status_t status = ucp_ep_create(worker_, &parameters, &link->ep);
  if (status != UCS_OK) {  // remembered, because UCX says so on the terminal each time
    link->ep = nullptr;
    link->error = status;
    owner_->note_failure(peer, status);
    return place = link.release();
  }
  place = link.release();
  // So that it says farewell, whatever it is that this EC does with it.
  if (!peer.is_greeted.exchange(true, std::memory_order_relaxed) &&
      !send_control(ec, peer, worker, MessageKind::kHello, nullptr, 0)) {
    peer.is_owed_hello.store(true, std::memory_order_relaxed);
    owner_->has_duties_.store(true, std::memory_order_release);
  }
  return place;
}

/// What an error of UCX's means to callers. A broken connection is reported by who uses it.
uccs_status_t Channel::status_of(Link& link, ucs_status_t status) {
  switch (status) {
    case UCS_OK:
      return UCCS_OK;
    case UCS_ERR_NO_RESOURCE:
      return UCCS_AGAIN;
    case UCS_ERR_NO_MEMORY:
      return UCCS_ERR_NO_MEMORY;
    case UCS_ERR_INVALID_ADDR:
      return UCCS_ERR_ADDRESS;
    case UCS_ERR_UNSUPPORTED:
    case UCS_ERR_NOT_IMPLEMENTED:
      return UCCS_ERR_UNSUPPORTED;
    default:
      return owner_->fail_operation(*link.peer, status);
  }
}

Buffer* Channel::take_buffer(Link& link) {
  Buffer* buffer = free_buffers_;
  if (!buffer) return nullptr;
  free_buffers_ = buffer->next;
  buffer->link = &link;
  return buffer;
}

void Channel::give_back(Buffer* buffer) {
  buffer->next = free_buffers_;
  free_buffers_ = buffer;
}

/// Without callback and its argument.
ucp_request_param_t Channel::message_parameters(uint32_t flags) {
  ucp_request_param_t parameters;  // UCX looks at what the mask names
  parameters.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = flags;
  return parameters;
}

/// A message without data behind it. Over tcp UCX hands the kernel three pieces of what is whole
/// here, which takes it 0.3 us longer than one; what is in pieces already UCX puts together first.
/// `piece` stays until the message has left.
ucs_status_ptr_t Channel::send_short(ucp_ep_h ep, std::byte* data, size_t bytes,
                                     ucp_dt_iov_t* piece, ucp_request_param_t* parameters) const {
  if (!owner_->library_.is_tcp() || bytes > kPutTogetherMax)
    return ucp_am_send_nbx(ep, kMessageId, nullptr, 0, data, bytes, parameters);
  *piece = {data, bytes};
  parameters->op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
  parameters->datatype = ucp_dt_make_iov();
  return ucp_am_send_nbx(ep, kMessageId, nullptr, 0, piece, 1, parameters);
}

uccs_status_t Channel::send(Link& link, Buffer* buffer, size_t bytes, uint32_t flags) {
  ucp_request_param_t parameters = message_parameters(flags);
  parameters.user_data = buffer;
  parameters.cb.send = [](void* request, ucs_status_t, void* user) {
    auto* sent = static_cast<Buffer*>(user);
    Channel& home = *sent->link->home;
    sent->posted_ns = 0;
    sent->link->under_way.remove();
    home.give_back(sent);
    ucp_request_free(request);
    home.under_way_.remove();
  };
  const ucs_status_ptr_t sent =
      send_short(link.ep, buffer->data, bytes, &buffer->piece, &parameters);
  if (UCS_PTR_IS_PTR(sent)) {
    buffer->posted_ns = owner_->silence_.now_ns();
    link.under_way.add();
    under_way_.add();
    return UCCS_OK;
  }
  give_back(buffer);
  return sent ? status_of(link, UCS_PTR_STATUS(sent)) : UCCS_OK;
}

bool Channel::send_control(int ec, PeerState& peer, int lane, MessageKind kind, const void* body,
                           size_t body_bytes) {
  Link* link = free_buffers_ ? link_to(ec, peer, lane % peer.workers) : nullptr;
  if (!free_buffers_) return false;
  if (!link || link->error != UCS_OK) return true;  // nobody waits for it
  Buffer* buffer = take_buffer(*link);
  if (!buffer) return false;
  Header header =
      make_header(Envelope(Traffic::kReply, lane, 0, 0, 0), owner_->me_, body_bytes, nullptr);
  header.cookie = peer.address.head().cookie;
  header.kind = kind;
  const size_t bytes = fill(buffer->data, header, body, nullptr);
  return send(*link, buffer, bytes) != UCCS_AGAIN;
}

uccs_status_t Channel::message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                               const Payload* payload) {
  Ucx& ucx = *owner_;
  if (ec == ucx.me_) return ucx.mail_.message_to_self(envelope, head, head_bytes, payload);
  PeerState* peer = ucx.peers_.reach(ec);
  if (!peer) return UCCS_ERR_PEER_FAILED;
  if (envelope.lane() >= peer->lanes) {
    if (!ucx.may_differ_in_lanes_) return UCCS_ERR_INVALID;
    envelope = envelope.to(envelope.lane() % peer->lanes);
  }
  const int lane = envelope.lane();
  Account& there = ucx.mail_.account_of(ec, lane);
  const int kind = credit_kind(envelope.traffic(), payload != nullptr);
  const auto look = [&] {  // that is where credits come back to
    Channel& inlet = ucx.channels_[lane % ucx.inlets_];
    if (!inlet.lock_->try_lock()) return;
    inlet.poll();
    inlet.lock_->unlock();
  };
  if (!Mail::take_credit(there, kind)) {
    look();
    if (!Mail::take_credit(there, kind)) return UCCS_AGAIN;
  }
  const bool is_ordered = envelope.traffic() == Traffic::kSend;
  const bool may_send = !is_ordered || there.send_lock.try_lock();
  uccs_status_t status = UCCS_AGAIN;
  if (may_send && lock_->try_lock()) {
    Link* link = link_to(ec, *peer, lane % peer->workers);
    Buffer* buffer = link && link->error == UCS_OK ? take_buffer(*link) : nullptr;
    if (!link) {
      status = UCCS_ERR_PEER_FAILED;
    } else if (link->error != UCS_OK) {
      status = status_of(*link, link->error);
    } else if (!buffer) {
      poll();
    } else {
      Header header = make_header(envelope, ucx.me_, head_bytes, payload);
      header.cookie = peer->address.head().cookie;
      if (is_ordered) header.sequence = there.next_to_send;
      status = send(*link, buffer, fill(buffer->data, header, head, payload));
      if (is_ordered && status == UCCS_OK) ++there.next_to_send;
    }
    lock_->unlock();
  }
  if (is_ordered && may_send) there.send_lock.unlock();
  if (status != UCCS_OK) there.credits[kind].fetch_add(1, std::memory_order_relaxed);
  return status;
}

/// `front`: the header and what follows it; `data`: more, or nullptr. False: that is no message.
bool Channel::take(const Header& header, const std::byte* front, size_t front_bytes, void* data,
                   size_t data_bytes, const ucp_am_recv_param_t* parameters) {
  Ucx& ucx = *owner_;
  const std::byte* body = front + sizeof header;
  const bool has_asker = (parameters->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0;
  if (header.kind < MessageKind::kExchange) {
    if (data || header.lane >= ucx.shape_.lanes || header.lane % ucx.inlets_ != index_)
      return false;
    Node* node = ucx.mail_.take_node(header.lane, front_bytes > kShortMax);
    memcpy(node->data(), front, front_bytes);
    ucx.mail_.take_in(header.lane, node, front_bytes);
    return true;
  }
  // The Mail looks at its messages itself.
  if (header.cookie != ucx.mail_.cookie() || header.source < 0 || header.source >= ucx.num_ecs_ ||
      front_bytes != sizeof header + header.head_bytes)
    return false;
  switch (header.kind) {
    case MessageKind::kChunk:
      return ucx.take_chunk(header.source, body, header.head_bytes);
    case MessageKind::kKey:
      return ucx.take_key(header.source, body, header.head_bytes);
    case MessageKind::kPut:
      return take_put(header, body);
    case MessageKind::kExchange:
      return has_asker && take_exchange(header, body, parameters->reply_ep);
    case MessageKind::kDelivery:
      return has_asker && data && take_delivery(header, body, data, data_bytes, parameters);
    case MessageKind::kBatch:
      return has_asker && data && take_batch(header, body, data, data_bytes, parameters);
    case MessageKind::kFetch:
      return has_asker && take_fetch(header, body, parameters->reply_ep);
    case MessageKind::kFetched:
      return data && take_fetched(header, body, data, data_bytes, parameters);
    case MessageKind::kResult:
      return take_result(header, body);
    default:
      return false;
  }
}

ucs_status_t Channel::on_message(void* self, const void* head, size_t head_bytes, void* data,
                                 size_t bytes, const ucp_am_recv_param_t* parameters) {
  auto& channel = *static_cast<Channel*>(self);
  ++(bytes <= kPayloadMax ? channel.messages_ : channel.long_messages_);
  const bool has_head = head_bytes > 0;
  const auto* front = static_cast<const std::byte*>(has_head ? head : data);
  const size_t front_bytes = has_head ? head_bytes : bytes;
  Header header;
  const bool is_whole = front_bytes >= sizeof header && front_bytes <= kMessageMax &&
                        (has_head || (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0);
  if (is_whole) memcpy(&header, front, sizeof header);
  if (!is_whole ||
      !channel.take(header, front, front_bytes, has_head ? data : nullptr, bytes, parameters))
    base::log_line(base::LogLevel::kWarn,
                   "the network brought %zu bytes that are no message of this job: dropped", bytes);
  return UCS_OK;
}

}  // namespace uccs::net::ucx
